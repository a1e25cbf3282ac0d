import { randomUUID, randomUUIDv7 } from 'node:crypto'
import { isBadInput, openDatabase } from '@gatehouse/prisma/database'
import { expect, test } from 'vitest'
import { createAccessTokenStore } from '../../src/store/access-tokens.ts'
import { createPartitions } from '../../src/store/partitions.ts'
import { createRevocationStore } from '../../src/store/revocations.ts'
import type { AccessTokenStore } from '../../src/tokens/access-token-store.ts'
import { clientGrant } from '../tokens/granted.ts'
import { inSeconds, someRecord, useDatabase } from './database.ts'

const shared = useDatabase()

function start(database = shared.database): AccessTokenStore {
  return createAccessTokenStore({ database, makePartitions: createPartitions(database).make })
}

/** Stores a user's token, as a grant of a user does. */
async function insertUsersToken(store: AccessTokenStore) {
  const record = someRecord({ grantId: randomUUID(), clientId: `client_${randomUUID()}` })
  const userId = randomUUID()
  await store.insert(record)
  await shared.query(`update token.access_tokens set user_id = $1, username = 'ann' where jti = $2`, [
    userId,
    record.jti,
  ])
  return { ...record, userId }
}

test('finds a stored token and no other', async () => {
  const store = start()
  const record = someRecord()
  await store.insert(record)
  expect(await store.findLive(record)).toMatchObject({
    grant: clientGrant(),
    permittedScope: 'read',
  })
  expect(await store.findLive({ ...record, jti: randomUUIDv7() })).toBeUndefined()
  expect(await store.findLive({ ...record, expiresAt: record.expiresAt + 1 })).toBeUndefined()
  // That day has no partition.
  expect(await store.findLive({ ...record, expiresAt: inSeconds('2037-01-01T00:00:00Z') })).toBeUndefined()
})

test('stores the given record with the database’s time', async () => {
  const store = start()
  const given = {
    clientId: 'client_ü',
    scope: 'read write',
    resources: ['https://a.example', 'https://b.example'],
  }
  const record = someRecord({ grantId: randomUUID(), ...given })
  await store.insert(record)
  const rows = await shared.query(
    `select extract(epoch from expires_at)::int as "expiresAt", jti, grant_id as "grantId", client_id as "clientId",
       scope, string_to_array(resources, ' ') as resources, user_id, username, revoked_at, now() - granted_at < interval '5 s' as recent
     from token.access_tokens where jti = $1`,
    [record.jti],
  )
  const { expiresAt, jti, grantId } = record
  expect(rows).toEqual([
    { expiresAt, jti, grantId, ...given, user_id: null, username: null, revoked_at: null, recent: true },
  ])
})

test('finds a user’s token with its user', async () => {
  const store = start()
  const token = await insertUsersToken(store)
  expect(await store.findLive(token)).toMatchObject({
    grant: clientGrant({ clientId: token.clientId, user: { userId: token.userId, username: 'ann' } }),
    permittedScope: 'read',
  })
})

test('makes a token visible to other processes before its insert resolves', async () => {
  const record = someRecord()
  await start().insert(record)
  expect(await start(shared.another()).findLive(record)).toBeDefined()
})

test('stores and finds many concurrent tokens with a few statements', async () => {
  const store = start()
  await store.insert(someRecord())
  shared.statements.length = 0
  const records = Array.from({ length: 2_000 }, () => someRecord())
  await Promise.all(records.map(store.insert))
  expect(shared.statements.length).toBeLessThanOrEqual(10)
  shared.statements.length = 0
  const found = await Promise.all(records.map(store.findLive))
  expect(found.filter((live) => live !== undefined)).toHaveLength(2_000)
  expect(shared.statements.length).toBeLessThanOrEqual(10)
})

test('gives each of many look-ups its own answer', async () => {
  const store = start()
  const stored = await Promise.all([insertUsersToken(store), insertUsersToken(store)])
  await shared.query(`update token.access_tokens set username = 'bob' where jti = $1`, [stored[1].jti])
  const keys = [someRecord(), stored[1], someRecord(), stored[0], stored[1], stored[0]]
  const found = await Promise.all(keys.map(store.findLive))
  expect(found.map((live) => live?.grant.user?.username)).toEqual([
    undefined,
    'bob',
    undefined,
    'ann',
    'bob',
    'ann',
  ])
})

test('makes missing partitions for concurrent inserts', async () => {
  const store = start()
  const days = ['2031-03-01', '2031-03-02', '2031-03-01', '2031-03-31']
  const records = days.map((day) => someRecord({ expiresAt: inSeconds(`${day}T12:00:00Z`) }))
  await Promise.all(records.map(store.insert))
  for (const record of records) expect(await store.findLive(record)).toBeDefined()
  const rows = await shared.query(
    `select distinct tableoid::regclass::text as name from token.access_tokens
     where expires_at > '2031-01-01' order by name`,
  )
  expect(rows.map(({ name }) => name)).toEqual(
    ['20310301', '20310302', '20310331'].map((day) => `token.access_tokens_${day}`),
  )
})

test('fails an insert whose partition cannot be made', async () => {
  const failure = new Error('no right to make one')
  const store = createAccessTokenStore({
    database: shared.database,
    makePartitions: () => Promise.reject(failure),
  })
  await expect(store.insert(someRecord({ expiresAt: inSeconds('2032-01-01T00:00:00Z') }))).rejects.toBe(
    failure,
  )
})

test('fails only the tokens that the database refuses', async () => {
  const store = start()
  const taken = someRecord()
  await store.insert(taken)
  const records = [
    ...Array.from({ length: 20 }, () => someRecord()),
    taken,
    someRecord({ jti: 'no uuid' }),
    someRecord({ clientId: 'nul\0' }),
    ...Array.from({ length: 20 }, () => someRecord()),
  ]
  const settled = await Promise.allSettled(records.map(store.insert))
  const refused = settled.flatMap((one, index) => (one.status === 'rejected' ? [index] : []))
  expect(refused).toEqual([20, 21, 22])
  for (const one of settled) if (one.status === 'rejected') expect(isBadInput(one.reason)).toBe(true)
  for (const index of [0, 19, 23, 42]) {
    expect(await store.findLive(records[index] ?? taken)).toBeDefined()
  }
})

test('fails only the look-up that the database refuses', async () => {
  const store = start()
  const record = someRecord()
  await store.insert(record)
  const settled = await Promise.allSettled(
    [record, { ...record, jti: 'no uuid' }, record].map(store.findLive),
  )
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
})

test('revokes a token only once when twenty try at the same time', async () => {
  const stores = [start(), start(shared.another())]
  const record = someRecord()
  await stores[0]?.insert(record)
  const attempts = Array.from({ length: 20 }, (_, index) => stores[index % 2]?.revoke(record))
  const results = await Promise.all(attempts)
  expect(results.filter(Boolean)).toHaveLength(1)
  expect(await stores[0]?.revoke(record)).toBe(false)
  expect(await stores[0]?.findLive(record)).toBeUndefined()
  expect(await stores[1]?.findLive(record)).toBeUndefined()
})

test('revokes a token only for its own client', async () => {
  const store = start()
  const record = someRecord()
  await store.insert(record)
  expect(await store.revoke({ ...record, clientId: 'client_b' })).toBe(false)
  expect(await store.findLive(record)).toBeDefined()
})

test('revokes one token without affecting others, and returns false for an unknown one', async () => {
  const store = start()
  const [one, other] = [someRecord(), someRecord()]
  await Promise.all([store.insert(one), store.insert(other)])
  expect(await store.revoke(one)).toBe(true)
  expect(await store.findLive(other)).toBeDefined()
  expect(await store.revoke(someRecord())).toBe(false)
  expect(await store.revoke(someRecord({ expiresAt: inSeconds('2037-01-01T00:00:00Z') }))).toBe(false)
})

type UsersToken = Awaited<ReturnType<typeof insertUsersToken>>
const idsByKind = {
  grant: (token: UsersToken) => token.grantId,
  client: (token: UsersToken) => token.clientId,
  user: (token: UsersToken) => token.userId,
  consent: (token: UsersToken) => `${token.userId}:${token.clientId}`,
}
const kinds = Object.keys(idsByKind) as (keyof typeof idsByKind)[]

test.each(kinds)('revoking a %s revokes its tokens and no others', async (kind) => {
  const store = start()
  const revocations = createRevocationStore(shared.database, 3600)
  const [one, other] = [await insertUsersToken(store), await insertUsersToken(store)]
  const id = idsByKind[kind](one)
  // The same id means nothing under another kind.
  for (const wrong of kinds.filter((some) => some !== kind)) {
    await revocations.add({ kind: wrong, id, issuedBefore: undefined })
  }
  expect(await store.findLive(one)).toBeDefined()
  await revocations.add({ kind, id, issuedBefore: new Date(Date.now() + 1_000) })
  expect(await store.findLive(one)).toBeUndefined()
  expect(await store.findLive(other)).toBeDefined()
})

test('a withdrawn consent revokes the tokens of its user and its client only', async () => {
  const store = start()
  const revocations = createRevocationStore(shared.database, 3600)
  const [one, other] = [await insertUsersToken(store), await insertUsersToken(store)]
  for (const id of [`${one.userId}:${other.clientId}`, `${other.userId}:${one.clientId}`, ':', one.userId]) {
    await revocations.add({ kind: 'consent', id, issuedBefore: undefined })
  }
  expect(await store.findLive(one)).toBeDefined()
})

test('a revocation applies to tokens granted until its time, inclusive', async () => {
  const store = start()
  const revocations = createRevocationStore(shared.database, 3600)
  const record = someRecord({ clientId: `client_${randomUUID()}` })
  await store.insert(record)
  const issuedAt = new Date('2026-06-01T12:00:00.500Z')
  await shared.query('update token.access_tokens set granted_at = $1 where jti = $2', [issuedAt, record.jti])
  const revokeUntil = (time: string) =>
    revocations.add({ kind: 'client', id: record.clientId, issuedBefore: new Date(time) })
  await revokeUntil('2026-06-01T12:00:00.499Z')
  expect(await store.findLive(record)).toBeDefined()
  await revokeUntil('2026-06-01T12:00:00.500Z')
  expect(await store.findLive(record)).toBeUndefined()
})

test('a token issued after a revocation is active, unless the revocation has no end', async () => {
  const store = start()
  const revocations = createRevocationStore(shared.database, 3600)
  const clientId = `client_${randomUUID()}`
  await revocations.add({ kind: 'client', id: clientId, issuedBefore: new Date(Date.now() - 60_000) })
  const later = someRecord({ clientId })
  await store.insert(later)
  expect(await store.findLive(later)).toBeDefined()
  await revocations.add({ kind: 'client', id: clientId, issuedBefore: undefined })
  expect(await store.findLive(later)).toBeUndefined()
  const latest = someRecord({ clientId })
  await store.insert(latest)
  expect(await store.findLive(latest)).toBeUndefined()
})

test('rejects with temporarily_unavailable while the database is away', async () => {
  const away = openDatabase({
    databaseUrl: 'postgresql://nobody@127.0.0.1:9/nothing',
    applicationName: 'gatehouse-test',
    poolSize: 1,
  })
  const store = createAccessTokenStore({ database: away, makePartitions: createPartitions(away).make })
  const attempts = [store.insert(someRecord()), store.findLive(someRecord()), store.revoke(someRecord())]
  for (const one of await Promise.allSettled(attempts)) {
    expect(one).toMatchObject({ status: 'rejected', reason: { code: 'temporarily_unavailable' } })
  }
  await away.close()
})
