import { randomUUID } from 'node:crypto'
import { type Database, openDatabase } from '@gatehouse/prisma/database'
import { hash } from '@node-rs/argon2'
import { beforeAll, describe, expect, test } from 'vitest'
import { authenticateUser, seedAdministrator } from '../src/authentication.ts'
import { hashPassword } from '../src/password.ts'
import { createUserStore } from '../src/store/users.ts'
import type { UserStore } from '../src/user.ts'
import { attemptOf, rightPassword, useReplicas } from './replica.ts'

const shared = useReplicas()
let database: Database
let store: UserStore

beforeAll(() => {
  database = shared.replica().database
  store = shared.replica().users as UserStore
})

const { addUser } = shared

/** Says who it is, from an address that nobody else has. */
const authenticate = async (username: string, password: string) => {
  const result = await authenticateUser(attemptOf(username, password), shared.replica().login)
  return result.outcome === 'right' ? result.value : undefined
}

const disable = (id: string) =>
  database.pool.query('update identity.users set disabled_at = now() where id = $1', [id])

describe('the store', () => {
  test('a user is found as he was added', async () => {
    const user = await addUser({ admin: true })
    expect(await store.findByName(user.username)).toEqual({ ...user, disabled: false })
    expect(await store.findByName('nobody')).toBeUndefined()
  })

  test('a user without a password has none', async () => {
    const { username } = await addUser({ passwordHash: undefined })
    expect(await store.findByName(username)).toMatchObject({ passwordHash: undefined })
  })

  test('a user that was disabled says so', async () => {
    const { id, username } = await addUser()
    await disable(id)
    expect(await store.findByName(username)).toMatchObject({ disabled: true })
  })

  test('names that differ in case alone are one name, and the first user stays as he is', async () => {
    const user = await addUser({ username: 'Änne.Müller' })
    expect(await store.findByName('ÄNNE.MÜLLER')).toMatchObject({ id: user.id, username: 'Änne.Müller' })
    expect(await store.add({ ...user, id: randomUUID(), username: 'änne.müller', admin: true })).toBe(false)
    expect(await store.findByName('Änne.Müller')).toEqual({ ...user, disabled: false })
  })

  test.each(['%', '_', 'a%', 'w_ldcard', 'wild\\card', "' or true --", ''])(
    '%j is no wildcard',
    async (name) => {
      await addUser({ username: `wildcard-${randomUUID()}` })
      expect(await store.findByName(name)).toBeUndefined()
    },
  )

  test('a name with a wildcard in it is a name', async () => {
    const { id } = await addUser({ username: '100%_sure' })
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
    const user = await addUser({ username: `Ann-${randomUUID()}` })
    expect(await authenticate(user.username, 'right password')).toMatchObject({ id: user.id })
    expect(await authenticate(user.username.toLowerCase(), 'right password')).toMatchObject({
      id: user.id,
    })
  })

  test('wrong, unknown, disabled and without a password are one answer', async () => {
    const user = await addUser()
    const disabled = await addUser()
    await disable(disabled.id)
    const social = await addUser({ passwordHash: undefined })
    expect(await authenticate(user.username, 'wrong password')).toBeUndefined()
    expect(await authenticate(user.username, 'RIGHT PASSWORD')).toBeUndefined()
    expect(await authenticate(user.username, '')).toBeUndefined()
    expect(await authenticate('nobody', 'right password')).toBeUndefined()
    expect(await authenticate(disabled.username, 'right password')).toBeUndefined()
    expect(await authenticate(social.username, 'right password')).toBeUndefined()
    expect(await authenticate(social.username, '')).toBeUndefined()
  })

  test('an endless password or name is wrong in the time of a short one', async () => {
    const { username } = await addUser()
    const from = performance.now()
    expect(await authenticate(username, 'x'.repeat(5_000_000))).toBeUndefined()
    expect(await authenticate('x'.repeat(5_000_000), 'right password')).toBeUndefined()
    expect(performance.now() - from).toBeLessThan(1_000)
  })

  test.each(['nobody', '', ' ', 'nul\0', '\ud800', 'x'.repeat(201), "' or true --"])(
    'a name that nobody can have is unknown: %j',
    async (name) => {
      expect(await authenticate(name, 'right password')).toBeUndefined()
    },
  )

  test('NUL in a name does not make it another', async () => {
    const { username } = await addUser()
    expect(await authenticate(`${username}\0`, rightPassword)).toBeUndefined()
    expect(await authenticate(`\0${username}`, rightPassword)).toBeUndefined()
  })

  test('the time tells nothing: whoever it is, one hash is compared, at the same cost', async () => {
    const users = {
      known: await addUser(),
      disabled: await addUser(),
      social: await addUser({ passwordHash: undefined }),
    }
    await disable(users.disabled.id)
    const { counts } = shared.replica()
    for (const name of [...Object.values(users).map(({ username }) => username), 'nobody', 'x'.repeat(9_000)])
      for (const password of ['wrong password', '', 'x'.repeat(2_000)]) {
        const before = { ...counts }
        expect(await authenticate(name, password)).toBeUndefined()
        expect(counts).toEqual({ compared: before.compared + 1, failed: before.failed + 1 })
      }
  })

  test('a hash of an old cost is renewed at a login, and only at one with the right password', async () => {
    const outdated = await hash(rightPassword, { memoryCost: 8_192, timeCost: 1, parallelism: 1 })
    const { username } = await addUser({ passwordHash: outdated })
    await authenticate(username, 'wrong password')
    expect(await store.findByName(username)).toMatchObject({ passwordHash: outdated })
    const user = await authenticate(username, rightPassword)
    const renewed = (await store.findByName(username))?.passwordHash ?? ''
    expect(renewed).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    expect(user?.passwordHash).toBe(renewed)
    await authenticate(username, rightPassword)
    expect(await store.findByName(username)).toMatchObject({ passwordHash: renewed })
    expect(await authenticate(username, 'wrong password')).toBeUndefined()
  })

  test('a password that changes while its old hash is renewed stays changed', async () => {
    const outdated = await hash(rightPassword, { memoryCost: 8_192, timeCost: 1, parallelism: 1 })
    const { id, username } = await addUser({ passwordHash: outdated })
    const changed = await hashPassword('changed password')
    const { login } = shared.another()
    const hashNow = login.hashing.hash
    login.hashing.hash = async (password) => {
      await database.pool.query('update identity.users set password_hash = $1 where id = $2', [changed, id])
      return hashNow(password)
    }
    await authenticateUser(attemptOf(username, rightPassword), login)
    expect(await store.findByName(username)).toMatchObject({ passwordHash: changed })
  })

  test('a login succeeds although its hash could not be renewed', async () => {
    const outdated = await hash(rightPassword, { memoryCost: 8_192, timeCost: 1, parallelism: 1 })
    const { id, username } = await addUser({ passwordHash: outdated })
    const { login } = shared.another()
    login.hashing.hash = () => Promise.reject(new Error('too busy'))
    const result = await authenticateUser(attemptOf(username, rightPassword), login)
    expect(result).toMatchObject({ outcome: 'right', value: { id, passwordHash: outdated } })
  })
})

describe('the first administrator', () => {
  const seed = (username: string, password: string) =>
    seedAdministrator(username, password, store, { hash: hashPassword }, randomUUID)

  test('is created with the password and the rights', async () => {
    expect(await seed('seeded', 'first password')).toBe(true)
    expect(await authenticate('seeded', 'first password')).toMatchObject({
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
    expect(await authenticate('locked-out', 'first password')).toBeUndefined()
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
