import { randomUUIDv7 } from 'node:crypto'
import { keepNothing } from '@gatehouse/data/pending-events'
import {
  authorityAtResource,
  authorityOfAll,
  authorityOfRoles,
  authorityOfUser,
} from '@gatehouse/proto/authority'
import { beforeEach, describe, expect, test } from 'vitest'
import type { TokenAuthority } from '../../../src/authority/judgement.ts'
import { createAccessTokenStore } from '../../../src/store/access-tokens.ts'
import { createAuthorityChangeStore } from '../../../src/store/authority/authority-changes.ts'
import { deleteExpired } from '../../../src/store/expired.ts'
import { createPartitions } from '../../../src/store/partitions.ts'
import { createRevocationStore } from '../../../src/store/revocations.ts'
import { createTokenAdministrationStore } from '../../../src/store/token-administration.ts'
import { createTokenHolderStore } from '../../../src/store/token-holders.ts'
import { files, tools } from '../../clients/resource-registry.ts'
import { someRecord, useDatabase } from '../database.ts'

const shared = useDatabase()
beforeEach(() => shared.query('truncate token.authority_changes, token.access_tokens, token.revocations'))

const user = { userId: 'user-1', username: 'ann' }
const start = () => ({
  store: createAccessTokenStore({
    database: shared.database,
    makePartitions: createPartitions(shared.database).make,
  }),
  changes: createAuthorityChangeStore(shared.database, 3_600),
})

/** Stores a token, of a user unless it is judged by the roles of its client. */
async function insert(authority: Partial<TokenAuthority> | undefined, resources = [tools]) {
  const { store } = start()
  const record = someRecord({ resources, ...(authority?.authorityRevision !== undefined && { user }) })
  const judged = authority && {
    carried: undefined,
    authorityRevision: undefined,
    rolesRevision: undefined,
    ...authority,
  }
  // As the grants of users store it: the batch of client_credentials has no user.
  await store.insert({ ...record, authority: judged })
  if (record.grant.user)
    await shared.query('update token.access_tokens set user_id = $1 where jti = $2', [
      user.userId,
      record.jti,
    ])
  return record
}
const isLive = async (record: { expiresAt: number; jti: string }) =>
  (await start().store.findLive(record)) !== undefined
const rows = () =>
  shared.query(
    'select key, revision::int, expires_at > now() as kept from token.authority_changes order by key',
  )

describe('a change ends the tokens of', () => {
  const byUser = { authorityRevision: 5n, rolesRevision: 8n }
  test.each<[what: string, key: string, revision: bigint]>([
    ['a user', authorityOfUser(user.userId), 6n],
    ['everybody', authorityOfAll(), 6n],
    ['everybody at a resource server', authorityAtResource(tools), 6n],
    ['everybody at one of several resource servers', authorityAtResource(files), 6n],
    ['the roles of a resource server', authorityOfRoles(tools), 9n],
    ['the roles of one of several resource servers', authorityOfRoles(files), 9n],
  ])('%s that were made by an older revision, and no others', async (_, key, revision) => {
    const [older, newer] = [
      await insert(byUser, [tools, files]),
      await insert({ authorityRevision: 6n, rolesRevision: 9n }, [tools, files]),
    ]
    await start().changes.apply({ key, revision })
    expect([await isLive(older), await isLive(newer)]).toEqual([false, true])
  })

  test.each<[what: string, key: string]>([
    ['another user', authorityOfUser('user-2')],
    ['everybody in an organization', authorityOfAll('org_1')],
    ['everybody in an organization at the resource server', authorityAtResource(tools, 'org_1')],
    ['everybody at another resource server', authorityAtResource(files)],
    ['the roles of another resource server', authorityOfRoles(files)],
  ])('%s, and not this one', async (_, key) => {
    const token = await insert(byUser)
    await start().changes.apply({ key, revision: 99n })
    expect(await isLive(token)).toBe(true)
  })
})

test('a token that roles and groups do not concern outlives each change', async () => {
  const [plain, ofClient] = [await insert(undefined), await insert({ rolesRevision: 8n })]
  const keys = [authorityOfUser('client_a'), authorityOfAll(), authorityAtResource(tools)]
  for (const key of keys) await start().changes.apply({ key, revision: 99n })
  expect([await isLive(plain), await isLive(ofClient)]).toEqual([true, true])
  await start().changes.apply({ key: authorityOfRoles(tools), revision: 9n })
  expect([await isLive(plain), await isLive(ofClient)]).toEqual([true, false])
})

test('a token that was judged before a change and stored after it is inactive', async () => {
  const judged = { authorityRevision: 5n, rolesRevision: 8n }
  await start().changes.apply({ key: authorityOfUser(user.userId), revision: 6n })
  expect(await isLive(await insert(judged))).toBe(false)
  expect(await isLive(await insert({ ...judged, authorityRevision: 6n }))).toBe(true)
  await start().changes.apply({ key: authorityOfRoles(tools), revision: 9n })
  expect(await isLive(await insert({ rolesRevision: 8n }))).toBe(false)
  expect(await isLive(await insert({ rolesRevision: 9n }))).toBe(true)
})

test('the greater revision of a key wins, in whichever order they come', async () => {
  const { changes } = start()
  for (const revision of [7n, 9n, 8n]) await changes.apply({ key: authorityOfAll(), revision })
  await Promise.all([3n, 12n, 11n].map((revision) => changes.apply({ key: authorityOfUser('u'), revision })))
  expect(await rows()).toEqual([
    { key: 'all:', revision: 9, kept: true },
    { key: 'user:u', revision: 12, kept: true },
  ])
})

test('a change is deleted when no older token can live any more, and no sooner', async () => {
  await createAuthorityChangeStore(shared.database, 0).apply({ key: authorityOfAll(), revision: 1n })
  await start().changes.apply({ key: authorityOfUser('u'), revision: 1n })
  expect(await deleteExpired(shared.database, 'authority_changes')).toBe(1)
  expect(await rows()).toEqual([{ key: 'user:u', revision: 1, kept: true }])
})

test('what a token carries comes back as it was', async () => {
  const carried = {
    roles: ['maker', 'a "b" \\ {c}, d'],
    groups: [],
    groups_overage: true,
    email: "o'x@example.com",
  }
  const token = await insert({ carried, rolesRevision: 1n })
  expect(await start().store.findLive(token)).toMatchObject({ carried, byRole: true })
  const plain = await insert(undefined)
  expect(await start().store.findLive(plain)).toMatchObject({ carried: undefined, byRole: false })
})

test('tokens with and without roles that are stored at once are all stored', async () => {
  const { store } = start()
  const authority = { carried: { roles: [] }, authorityRevision: undefined, rolesRevision: 1n }
  const records = [someRecord(), { ...someRecord({ resources: [tools] }), authority }, someRecord()]
  await Promise.all(records.map((record) => store.insert(record)))
  const live = await Promise.all(records.map((record) => store.findLive(record)))
  expect(live.map((one) => one?.byRole)).toEqual([false, true, false])
})

test('administrators see a token by a role that was taken as revoked, and its user no client that holds it', async () => {
  const token = await insert({ authorityRevision: 5n, rolesRevision: 8n })
  const administration = createTokenAdministrationStore(shared.database, 3_600, keepNothing)
  const holders = createTokenHolderStore(shared.database)
  const seen = async () => ({
    revoked: (await administration.list(undefined, undefined, 10)).map(({ jti, revoked }) => [jti, revoked]),
    holders: (await holders.list(user.userId)).length,
  })
  expect(await seen()).toEqual({ revoked: [[token.jti, false]], holders: 1 })
  await start().changes.apply({ key: authorityOfUser(user.userId), revision: 6n })
  expect(await seen()).toEqual({ revoked: [[token.jti, true]], holders: 0 })
})

test('a revocation of the kind own ends the tokens of a client that have no user, until then', async () => {
  const [own, ofUser] = [await insert({ rolesRevision: 1n }), await insert({ authorityRevision: 1n })]
  // A client may have been imported with the id of a user.
  const other = await insert({ rolesRevision: 1n })
  await shared.query('update token.access_tokens set client_id = $1 where jti = $2', [user.userId, other.jti])
  const add = (kind: 'own' | 'user', id: string) =>
    createRevocationStore(shared.database, 3_600).add({ kind, id, issuedBefore: 'now' })
  await add('own', 'client_a')
  expect([await isLive(own), await isLive(ofUser), await isLive(other)]).toEqual([false, true, true])
  await add('own', user.userId)
  expect([await isLive(ofUser), await isLive(other)]).toEqual([true, false])
  await add('user', user.userId)
  expect([await isLive(ofUser), await isLive(await insert({ rolesRevision: 1n }))]).toEqual([false, true])
})

describe('release 0.7.0, which runs beside this one,', () => {
  const insertOf070 = `
    insert into token.access_tokens (expires_at, jti, grant_id, client_id, scope, resources)
    values (to_timestamp($1::bigint), $2, $2, 'client_a', 'tools:use', $3)`
  const findOf070 = `
    select t.client_id, t.user_id, t.username, t.scope, t.resources from token.access_tokens t
    where t.expires_at = to_timestamp($1::bigint) and t.jti = $2 and t.revoked_at is null`

  test('stores tokens that this one finds: they were judged by no role', async () => {
    const key = { expiresAt: Math.floor(Date.now() / 1000) + 3_600, jti: randomUUIDv7() }
    await insert(undefined)
    await shared.query(insertOf070, [key.expiresAt, key.jti, tools])
    expect(await start().store.findLive(key)).toMatchObject({ byRole: false, carried: undefined })
  })

  test('finds tokens that this one stored, without what they carry, and does not see that a role was taken', async () => {
    const token = await insert({ carried: { roles: ['maker'] }, rolesRevision: 1n })
    await start().changes.apply({ key: authorityOfRoles(tools), revision: 2n })
    expect(await shared.query(findOf070, [token.expiresAt, token.jti])).toHaveLength(1)
    expect(await isLive(token)).toBe(false)
  })
})
