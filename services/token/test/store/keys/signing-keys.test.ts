import { randomUUIDv7 } from 'node:crypto'
import { keepNothing } from '@gatehouse/data/pending-events'
import { openDatabase } from '@gatehouse/prisma/database'
import { beforeEach, expect, test } from 'vitest'
import { createSigningKeyStore } from '../../../src/store/keys/signing-keys.ts'
import { someActor } from '../../keys/key-store.ts'
import { useDatabase } from '../database.ts'

const shared = useDatabase()
const start = (database = shared.database) => createSigningKeyStore(database, keepNothing)
beforeEach(async () => {
  await shared.query('truncate token.signing_keys, token.audit_log')
  await shared.query(`insert into token.signing_keys (kid) values ('default')`)
})

const lifetime = 3610
const shift = (kid: string, seconds: number) =>
  shared.query(
    'update token.signing_keys set verifies_until = now() + make_interval(secs => $2) where kid = $1',
    [kid, seconds],
  )

test('a new system has the default key as the active one', async () => {
  expect(await start().list()).toEqual([
    {
      kid: 'default',
      algorithm: 'HS256',
      state: 'active',
      createdAt: expect.any(Date),
      activatesAt: undefined,
      isDue: false,
      verifiesUntil: undefined,
      verifiesFor: Number.POSITIVE_INFINITY,
      encryptedKey: undefined,
    },
  ])
})

test('activates the new key, and lets the previous one verify for the given time', async () => {
  const store = start()
  const kid = randomUUIDv7()
  const keys = await store.rotate(kid, lifetime, someActor)
  expect(keys.map((key) => key.kid)).toEqual([kid, 'default'])
  const [active, previous] = keys
  expect(active).toMatchObject({ verifiesUntil: undefined, verifiesFor: Number.POSITIVE_INFINITY })
  const from = previous?.verifiesUntil ? previous.verifiesUntil.getTime() - lifetime * 1000 : 0
  expect((active?.createdAt.getTime() ?? 0) - from).toBeGreaterThanOrEqual(0)
  expect((active?.createdAt.getTime() ?? 0) - from).toBeLessThan(2_000)
  expect(previous?.verifiesFor).toBeGreaterThan(lifetime * 1000 - 10_000)
  expect(previous?.verifiesFor).toBeLessThanOrEqual(lifetime * 1000)
})

test('ends every previous key at once when it is rotated to verify for no time', async () => {
  const store = start()
  await store.rotate(randomUUIDv7(), lifetime, someActor)
  const kid = randomUUIDv7()
  const keys = await store.rotate(kid, 0, someActor)
  expect(keys.map((key) => [key.kid, key.state])).toEqual([[kid, 'active']])
  expect(await store.deleteExpired()).toBe(2)
})

test('shows a rotation to every other replica', async () => {
  const kid = randomUUIDv7()
  await start().rotate(kid, lifetime, someActor)
  expect((await start(shared.another()).list()).map((key) => key.kid)).toEqual([kid, 'default'])
})

test('runs concurrent rotations on two replicas one after the other', async () => {
  const replicas = [start(), start(shared.another())]
  const kids = Array.from({ length: 8 }, () => randomUUIDv7())
  const answers = await Promise.all(
    kids.map((kid, index) => replicas[index % 2]?.rotate(kid, lifetime, someActor)),
  )
  for (const [index, keys] of answers.entries()) expect(keys?.[0]?.kid).toBe(kids[index])
  // Each saw all that came before it.
  expect(answers.map((keys) => keys?.length).sort((a = 0, b = 0) => a - b)).toEqual([2, 3, 4, 5, 6, 7, 8, 9])
  const keys = await start().list()
  expect(new Set(keys.map(({ kid }) => kid))).toEqual(new Set(['default', ...kids]))
  expect(keys.filter(({ verifiesUntil }) => verifiesUntil === undefined)).toHaveLength(1)
  expect(await shared.query('select from token.audit_log')).toHaveLength(8)
})

test('writes an audit entry for a rotation, with its actor and without any key', async () => {
  const kid = randomUUIDv7()
  await start().rotate(kid, lifetime, someActor)
  const [{ verifies_until } = {}] = await shared.query(
    `select verifies_until from token.signing_keys where kid = 'default'`,
  )
  expect(
    await shared.query(
      'select actor_kind, actor_id, actor_name, ip_address, action, target, before, after from token.audit_log',
    ),
  ).toEqual([
    {
      actor_kind: 'user',
      actor_id: someActor.id,
      actor_name: 'ann',
      ip_address: '192.0.2.1',
      action: 'signing_key.rotate',
      target: kid,
      before: { active: 'default' },
      after: { active: kid, previous_verifies_until: (verifies_until as Date).toISOString() },
    },
  ])
})

test('does not rotate without an audit entry', async () => {
  await expect(
    start().rotate(randomUUIDv7(), lifetime, { ...someActor, kind: 'nobody' as 'user' }),
  ).rejects.toThrow()
  expect((await start().list()).map(({ kid }) => kid)).toEqual(['default'])
})

test('does not list expired keys and deletes them, but never the active one', async () => {
  const store = start()
  const [first, second] = [randomUUIDv7(), randomUUIDv7()]
  await store.rotate(first, lifetime, someActor)
  await store.rotate(second, lifetime, someActor)
  await shift('default', -1)
  await shift(first, 60)
  expect((await store.list()).map(({ kid }) => kid)).toEqual([second, first])
  expect(await store.deleteExpired()).toBe(1)
  expect(await store.deleteExpired()).toBe(0)
  const left = await shared.query('select kid from token.signing_keys order by created_at')
  expect(left.map(({ kid }) => kid)).toEqual([first, second])
})

test('deletes expired keys while rotations are under way', async () => {
  const store = start()
  await store.rotate(randomUUIDv7(), lifetime, someActor)
  await shift('default', -1)
  const rotations = Array.from({ length: 5 }, () => store.rotate(randomUUIDv7(), lifetime, someActor))
  const [deleted] = await Promise.all([store.deleteExpired(), ...rotations])
  expect(deleted).toBe(1)
  expect(await store.list()).toHaveLength(6)
})

test('lists keys while a rotation is under way', async () => {
  const client = await shared.database.pool.connect()
  await client.query('begin; lock table token.signing_keys in share row exclusive mode')
  expect(await start().list()).toHaveLength(1)
  await client.query('rollback')
  client.release()
})

test('rejects with temporarily_unavailable while the database is away', async () => {
  const away = openDatabase({
    databaseUrl: 'postgresql://nobody@127.0.0.1:9/nothing',
    applicationName: 'gatehouse-test',
    poolSize: 1,
  })
  const store = start(away)
  for (const one of [store.list(), store.rotate(randomUUIDv7(), lifetime, someActor)]) {
    await expect(one).rejects.toMatchObject({ code: 'temporarily_unavailable' })
  }
  await away.close()
})
