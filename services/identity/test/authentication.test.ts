import { randomUUID } from 'node:crypto'
import { Registry } from '@gatehouse/kit/metrics'
import { createRpcClient } from '@gatehouse/kit/rpc-client'
import { startRpcServer } from '@gatehouse/kit/rpc-server'
import { type Database, openDatabase } from '@gatehouse/prisma/database'
import { IdentityServiceService as identity } from '@gatehouse/proto/identity/v1'
import { createDatabase, type TestDatabase } from '@gatehouse/test/database'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { recordedLog } from '../../kit/test/recorded-log.ts'
import { authenticateUser, seedAdministrator } from '../src/authentication.ts'
import { hashPassword } from '../src/password.ts'
import { identityRpcs } from '../src/rpc.ts'
import { createUserStore } from '../src/store/users.ts'
import type { UserStore } from '../src/user.ts'

let created: TestDatabase
let database: Database
let store: UserStore
let passwordHash: string

beforeAll(async () => {
  created = await createDatabase()
  database = openDatabase({ databaseUrl: created.url, applicationName: 'gatehouse-test', poolSize: 4 })
  store = createUserStore(database)
  passwordHash = await hashPassword('right password')
})

afterAll(async () => {
  await database.close()
  await created.drop()
})

/** Adds a user with the password `right password`. */
async function addUser(
  username = `user-${randomUUID()}`,
  changes: { passwordHash?: undefined; admin?: boolean } = {},
) {
  const user = { id: randomUUID(), username, passwordHash, admin: false, ...changes }
  expect(await store.add(user)).toBe(true)
  return user
}

const disable = (id: string) =>
  database.pool.query('update identity.users set disabled_at = now() where id = $1', [id])

describe('the store', () => {
  test('a user is found as he was added', async () => {
    const user = await addUser(undefined, { admin: true })
    expect(await store.findByName(user.username)).toEqual({ ...user, disabled: false })
    expect(await store.findByName('nobody')).toBeUndefined()
  })

  test('a user without a password has none', async () => {
    const { username } = await addUser(undefined, { passwordHash: undefined })
    expect(await store.findByName(username)).toMatchObject({ passwordHash: undefined })
  })

  test('a user that was disabled says so', async () => {
    const { id, username } = await addUser()
    await disable(id)
    expect(await store.findByName(username)).toMatchObject({ disabled: true })
  })

  test('names that differ in case alone are one name, and the first user stays as he is', async () => {
    const user = await addUser('Änne.Müller')
    expect(await store.findByName('ÄNNE.MÜLLER')).toMatchObject({ id: user.id, username: 'Änne.Müller' })
    expect(await store.add({ ...user, id: randomUUID(), username: 'änne.müller', admin: true })).toBe(false)
    expect(await store.findByName('Änne.Müller')).toEqual({ ...user, disabled: false })
  })

  test.each(['%', '_', 'a%', 'w_ldcard', 'wild\\card', "' or true --", ''])(
    '%j is no wildcard',
    async (name) => {
      await addUser(`wildcard-${randomUUID()}`)
      expect(await store.findByName(name)).toBeUndefined()
    },
  )

  test('a name with a wildcard in it is a name', async () => {
    const { id } = await addUser('100%_sure')
    expect(await store.findByName('100%_SURE')).toMatchObject({ id })
  })

  test('a database that is away is temporarily_unavailable', async () => {
    const away = openDatabase({
      databaseUrl: 'postgresql://nobody@127.0.0.1:9/nothing',
      applicationName: 'gatehouse-test',
      poolSize: 1,
    })
    await expect(createUserStore(away).findByName('ann')).rejects.toMatchObject({
      code: 'temporarily_unavailable',
    })
    await away.close()
  })
})

describe('authentication', () => {
  test('the right name and password are the user’s, whatever the case of the name', async () => {
    const user = await addUser(`Ann-${randomUUID()}`)
    expect(await authenticateUser(user.username, 'right password', store)).toMatchObject({ id: user.id })
    expect(await authenticateUser(user.username.toLowerCase(), 'right password', store)).toMatchObject({
      id: user.id,
    })
  })

  test('wrong, unknown, disabled and without a password are one answer', async () => {
    const user = await addUser()
    const disabled = await addUser()
    await disable(disabled.id)
    const social = await addUser(undefined, { passwordHash: undefined })
    expect(await authenticateUser(user.username, 'wrong password', store)).toBeUndefined()
    expect(await authenticateUser(user.username, 'RIGHT PASSWORD', store)).toBeUndefined()
    expect(await authenticateUser(user.username, '', store)).toBeUndefined()
    expect(await authenticateUser('nobody', 'right password', store)).toBeUndefined()
    expect(await authenticateUser(disabled.username, 'right password', store)).toBeUndefined()
    expect(await authenticateUser(social.username, 'right password', store)).toBeUndefined()
    expect(await authenticateUser(social.username, '', store)).toBeUndefined()
  })

  test('an endless password is refused in the time of a short one', async () => {
    const { username } = await addUser()
    const from = performance.now()
    expect(await authenticateUser(username, 'x'.repeat(5_000_000), store)).toBeUndefined()
    expect(performance.now() - from).toBeLessThan(1_000)
  })

  test('the time tells nothing: unknown and disabled take as long as wrong', async () => {
    const user = await addUser()
    const disabled = await addUser()
    await disable(disabled.id)
    const attempts = { wrong: user.username, unknown: 'nobody', disabled: disabled.username }
    const times: Record<string, number[]> = { wrong: [], unknown: [], disabled: [] }
    // In turns, so that a busy moment of the machine meets all alike; the first round is not counted.
    for (let round = 0; round < 8; round += 1) {
      for (const [kind, name] of Object.entries(attempts)) {
        const from = performance.now()
        await authenticateUser(name, 'wrong password', store)
        if (round > 0) times[kind]?.push(performance.now() - from)
      }
    }
    const median = (values: number[] = []) =>
      values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0
    const wrong = median(times.wrong)
    for (const kind of ['unknown', 'disabled']) {
      const ratio = median(times[kind]) / wrong
      expect(ratio, `${kind} against wrong`).toBeGreaterThan(0.5)
      expect(ratio, `${kind} against wrong`).toBeLessThan(2)
    }
  })

  test('the RPC gives who it is and no more, and nothing for nobody', async () => {
    const user = await addUser(undefined, { admin: true })
    const options = {
      host: '127.0.0.1',
      port: 0,
      actor: 'identity',
      log: recordedLog().log,
      registry: new Registry(),
    }
    const server = await startRpcServer([identityRpcs(store)], options, () => undefined)
    const client = createRpcClient(identity, `127.0.0.1:${server.port}`, 5_000)
    const ask = (password: string) => client.authenticateUser({ username: user.username, password })
    expect(await ask('right password')).toEqual({
      user: { userId: user.id, username: user.username, admin: true },
    })
    expect(await ask('wrong password')).toEqual({ user: undefined })
    client.close()
    await server.close(0)
  })
})

describe('the first administrator', () => {
  const seed = (username: string, password: string) =>
    seedAdministrator(username, password, store, randomUUID)

  test('is created with the password and the rights', async () => {
    expect(await seed('seeded', 'first password')).toBe(true)
    expect(await authenticateUser('seeded', 'first password', store)).toMatchObject({
      username: 'seeded',
      admin: true,
    })
  })

  test('keeps a password that was changed, and whatever else was', async () => {
    await seed('changed', 'first password')
    const changed = await hashPassword('changed password')
    await database.pool.query(
      `update identity.users set password_hash = $1, is_admin = false where username = 'changed'`,
      [changed],
    )
    expect(await seed('changed', 'first password')).toBe(false)
    expect(await seed('CHANGED', 'first password')).toBe(false)
    expect(await store.findByName('changed')).toMatchObject({ passwordHash: changed, admin: false })
  })

  test('stays disabled', async () => {
    await seed('locked-out', 'first password')
    const user = await store.findByName('locked-out')
    await disable(user?.id ?? '')
    expect(await seed('locked-out', 'first password')).toBe(false)
    expect(await authenticateUser('locked-out', 'first password', store)).toBeUndefined()
  })

  test('is one, however many replicas start at once, and each of them starts', async () => {
    const results = await Promise.all([1, 2, 3].map((replica) => seed('parallel', `password of ${replica}`)))
    expect(results.filter(Boolean)).toHaveLength(1)
    const { rows } = await database.pool.query(
      `select count(*)::int as count from identity.users where username = 'parallel'`,
    )
    expect(rows).toEqual([{ count: 1 }])
  })
})
