import { pbkdf2Sync, randomUUID } from 'node:crypto'
import { type Database, openDatabase } from '@gatehouse/prisma/database'
import { hash } from '@node-rs/argon2'
import { hash as bcryptHash } from '@node-rs/bcrypt'
import { beforeAll, describe, expect, test } from 'vitest'
import { authenticateUser, seedAdministrator } from '../../src/logins/authentication.ts'
import { hashPassword } from '../../src/passwords/password.ts'
import { createUserStore } from '../../src/store/users/users.ts'
import type { UserStore } from '../../src/users/user.ts'
import { attemptOf, rightPassword, useReplicas } from '../store/replica.ts'

const shared = useReplicas()
let database: Database
let store: UserStore

beforeAll(() => {
  database = shared.replica().database
  store = shared.replica().users as UserStore
})

const { addUser } = shared

/** Authenticates from an address that no other test uses. */
const authenticate = async (username: string, password: string) => {
  const result = await authenticateUser(attemptOf(username, password), shared.replica().login)
  return result.outcome === 'right' ? result.value : undefined
}

const disable = (id: string) =>
  database.pool.query('update identity.users set disabled_at = now() where id = $1', [id])

describe('the store', () => {
  test('finds a user as they were added', async () => {
    const user = await addUser({ adminRole: 'owner' })
    expect(await store.findByName(user.username)).toEqual({
      ...user,
      disabled: false,
      secondFactorDemanded: false,
    })
    expect(await store.findByName('nobody')).toBeUndefined()
  })

  test('finds a user without a password', async () => {
    const { username } = await addUser({ passwordHash: undefined })
    expect(await store.findByName(username)).toMatchObject({ passwordHash: undefined })
  })

  test('says that a user is disabled', async () => {
    const { id, username } = await addUser()
    await disable(id)
    expect(await store.findByName(username)).toMatchObject({ disabled: true })
  })

  test('treats names that differ only in case as one name, and keeps the first user unchanged', async () => {
    const user = await addUser({ username: 'Änne.Müller' })
    expect(await store.findByName('ÄNNE.MÜLLER')).toMatchObject({ id: user.id, username: 'Änne.Müller' })
    expect(await store.add({ ...user, id: randomUUID(), username: 'änne.müller', adminRole: 'owner' })).toBe(
      false,
    )
    expect(await store.findByName('Änne.Müller')).toEqual({
      ...user,
      disabled: false,
      secondFactorDemanded: false,
    })
  })

  test.each(['%', '_', 'a%', 'w_ldcard', 'wild\\card', "' or true --", ''])(
    'does not treat %j as a wildcard',
    async (name) => {
      await addUser({ username: `wildcard-${randomUUID()}` })
      expect(await store.findByName(name)).toBeUndefined()
    },
  )

  test('finds a user whose name contains a wildcard', async () => {
    const { id } = await addUser({ username: '100%_sure' })
    expect(await store.findByName('100%_SURE')).toMatchObject({ id })
  })

  test('throws temporarily_unavailable while the database is away', async () => {
    const away = openDatabase({
      databaseUrl: 'postgresql://nobody@127.0.0.1:9/nothing',
      applicationName: 'gatehouse-test',
      poolSize: 1,
    })
    await expect(createUserStore(away, 'optional').findByName('ann')).rejects.toMatchObject({
      code: 'temporarily_unavailable',
    })
    await away.close()
  })
})

describe('authentication', () => {
  test('accepts the right name and password, ignoring the case of the name', async () => {
    const user = await addUser({ username: `Ann-${randomUUID()}` })
    expect(await authenticate(user.username, 'right password')).toMatchObject({ id: user.id })
    expect(await authenticate(user.username.toLowerCase(), 'right password')).toMatchObject({
      id: user.id,
    })
  })

  test('answers a wrong password, an unknown user, a disabled user and a user without a password alike', async () => {
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

  test('rejects a huge password or name as fast as a short one', async () => {
    const { username } = await addUser()
    const took = async (name: string, password: string) => {
      const from = performance.now()
      expect(await authenticate(name, password)).toBeUndefined()
      return performance.now() - from
    }
    const short: number[] = []
    const huge: number[] = []
    // By turns, so that other load on the machine affects both alike.
    for (let round = 0; round < 5; round += 1) {
      short.push(await took(username, 'wrong password'))
      huge.push(
        await took(username, 'x'.repeat(5_000_000)),
        await took('x'.repeat(5_000_000), 'right password'),
      )
    }
    expect(Math.min(...huge)).toBeLessThan(3 * Math.min(...short))
  })

  test.each(['nobody', '', ' ', 'nul\0', '\ud800', 'x'.repeat(201), "' or true --"])(
    'rejects a name that no user can have: %j',
    async (name) => {
      expect(await authenticate(name, 'right password')).toBeUndefined()
    },
  )

  test('does not ignore NUL in a name', async () => {
    const { username } = await addUser()
    expect(await authenticate(`${username}\0`, rightPassword)).toBeUndefined()
    expect(await authenticate(`\0${username}`, rightPassword)).toBeUndefined()
  })

  test('takes the same time for every user, known or not: it compares one hash of the same cost', async () => {
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

  test('renews a hash of a previous cost, but only at a login with the right password', async () => {
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

  test.each([
    ['bcrypt', () => bcryptHash(rightPassword, 4)],
    [
      'PBKDF2',
      () => {
        const key = pbkdf2Sync(rightPassword, 'salt', 1_000, 32, 'sha256').toString('base64')
        return `$pbkdf2-sha256$i=1000$c2FsdA$${key.replaceAll('=', '')}`
      },
    ],
  ])('renews an imported hash of %s, as it renews its own', async (_, make) => {
    const imported = await make()
    const { username } = await addUser({ passwordHash: imported })
    expect(await authenticate(username, 'wrong password')).toBeUndefined()
    expect(await store.findByName(username)).toMatchObject({ passwordHash: imported })
    expect(await authenticate(username, rightPassword)).toBeDefined()
    expect((await store.findByName(username))?.passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    expect(await authenticate(username, rightPassword)).toBeDefined()
  })

  test('keeps a password that changes while its previous hash is renewed', async () => {
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

  test('succeeds although the hash could not be renewed', async () => {
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
    seedAdministrator(
      { username, password },
      { users: store, hashing: { hash: hashPassword }, randomUuid: randomUUID },
    )

  test('is created with the given password and administrator rights', async () => {
    expect(await seed('seeded', 'first password')).toBe(true)
    expect(await authenticate('seeded', 'first password')).toMatchObject({
      username: 'seeded',
      adminRole: 'owner',
    })
  })

  test('keeps a changed password and every other change', async () => {
    await seed('changed', 'first password')
    const changed = await hashPassword('changed password')
    await database.pool.query(
      `update identity.users set password_hash = $1, is_admin = false where username = 'changed'`,
      [changed],
    )
    expect(await seed('changed', 'first password')).toBe(false)
    expect(await seed('CHANGED', 'first password')).toBe(false)
    expect(await store.findByName('changed')).toMatchObject({ passwordHash: changed, adminRole: null })
  })

  test('stays disabled', async () => {
    await seed('locked-out', 'first password')
    const user = await store.findByName('locked-out')
    await disable(user?.id ?? '')
    expect(await seed('locked-out', 'first password')).toBe(false)
    expect(await authenticate('locked-out', 'first password')).toBeUndefined()
  })

  test('is created only once when replicas start at the same time, and each of them starts', async () => {
    const results = await Promise.all([1, 2, 3].map((replica) => seed('parallel', `password of ${replica}`)))
    expect(results.filter(Boolean)).toHaveLength(1)
    const { rows } = await database.pool.query(
      `select count(*)::int as count from identity.users where username = 'parallel'`,
    )
    expect(rows).toEqual([{ count: 1 }])
  })
})
