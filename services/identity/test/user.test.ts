import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { authenticateUser } from '../src/authentication.ts'
import { setUserDisabled } from '../src/disabling.ts'
import { getSession } from '../src/session.ts'
import { createUser, usernameFault } from '../src/user.ts'
import { attemptOf, type Replica, useReplicas } from './replica.ts'

const shared = useReplicas()

describe('adding a user', () => {
  const create = (changes: { username?: string; password?: string; admin?: boolean } = {}) =>
    createUser(
      { username: `new-${randomUUID()}`, password: 'a password', admin: false, ...changes },
      shared.replica().adding,
    )

  test('he can log in, with the rights that he was given', async () => {
    const user = await create({ admin: true })
    const result = await authenticateUser(attemptOf(user.username, 'a password'), shared.replica().login)
    expect(result).toMatchObject({ outcome: 'right', value: user })
    expect(user.admin).toBe(true)
  })

  test.each<[string, object, string]>([
    ['username', { username: '' }, 'username must have 1 to 200 characters.'],
    ['username', { username: 'x'.repeat(201) }, 'username must have 1 to 200 characters.'],
    ['username', { username: 'two words' }, 'username must not contain white space or control characters.'],
    ['username', { username: 'Client_x' }, 'username must not begin with client_.'],
    ['password', { password: 'seven c' }, 'password must have 8 to 1024 characters.'],
    ['password', { password: 'x'.repeat(1_025) }, 'password must have 8 to 1024 characters.'],
  ])('a %s that will not do is refused by name: %j', async (_, changes, description) => {
    await expect(create(changes)).rejects.toMatchObject({ code: 'invalid_request', description })
  })

  test.each([
    'a',
    'x'.repeat(200),
    '😀'.repeat(200),
    'ann@example.com',
    'Änne.Müller',
    'xclient_',
    'client',
    '東京',
  ])('%j is a name', (name) => expect(usernameFault(name)).toBeUndefined())

  test.each([
    'a b',
    ' a',
    'a\n',
    'a\tb',
    'a\0',
    'a\u00a0b',
    'a\u3000',
    'a\u007f',
    'a\u200b',
    'a\u202eb',
    '\ufeffa',
    'a\ud800',
    'client_',
    'CLIENT_X',
  ])('%j is no name', (name) => expect(usernameFault(name)).toBeTypeOf('string'))

  test('a name is taken whatever the case, also of two users at once', async () => {
    const name = `Ärger-${randomUUID()}`
    const names = [name, name.toUpperCase(), name.toLowerCase()]
    const results = await Promise.allSettled(names.map((username) => create({ username })))
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await expect(create({ username: name.toUpperCase() })).rejects.toMatchObject({
      code: 'invalid_request',
      description: 'username is taken: there is a user of this name.',
    })
  })
})

describe('shutting a user out', () => {
  beforeEach(() => shared.query('update identity.users set is_admin = false'))
  const set = (userId: string, disabled: boolean, replica: Replica = shared.replica()) =>
    setUserDisabled({ userId, disabled }, replica.disabling)

  test('ends his sessions, keeps him out, and tells the token service', async () => {
    const replica = shared.another()
    const { id, username } = await shared.addUser()
    const { secret } = await shared.browserOf(username)
    const stranger = await shared.browserOf((await shared.addUser()).username)
    await set(id, true, replica)
    expect(replica.revoked).toMatchObject([{ kind: 'user', target: id }])
    expect(await getSession(secret, replica.sessions)).toBeUndefined()
    expect(await getSession(stranger.secret, replica.sessions)).toBeDefined()
    await expect(shared.browserOf(username)).rejects.toThrow('wrong')
  })

  test('letting him in again brings no session back, and revokes nothing', async () => {
    const replica = shared.another()
    const { id, username } = await shared.addUser()
    const { secret } = await shared.browserOf(username)
    await set(id, true)
    await set(id, false, replica)
    expect(replica.revoked).toEqual([])
    expect(await getSession(secret, replica.sessions)).toBeUndefined()
    await shared.browserOf(username)
  })

  test('succeeds while the token service is away, which is told later', async () => {
    const replica = shared.another()
    replica.tokenAway = true
    const { id } = await shared.addUser()
    await set(id, true, replica)
    expect(replica.revoked).toEqual([])
    replica.tokenAway = false
    await replica.deliverAll()
    expect(replica.revoked).toMatchObject([{ kind: 'user', target: id }])
  })

  test.each([randomUUID(), 'no uuid', ''])('an unknown user is not found: %j', async (id) => {
    await expect(set(id, true)).rejects.toMatchObject({ code: 'not_found' })
    await expect(set(id, false)).rejects.toMatchObject({ code: 'not_found' })
  })

  test('a login at the same moment leaves no session', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id, username } = await shared.addUser()
      const logins = Array.from({ length: 4 }, () => shared.browserOf(username))
      const delay = new Promise((resolve) => setTimeout(resolve, 15 * round))
      await Promise.allSettled([...logins, delay.then(() => set(id, true))])
      expect(await shared.query('select from identity.sessions where user_id = $1', [id])).toEqual([])
    }
  })

  test('the last active administrator stays, and another one does not', async () => {
    const one = await shared.addUser({ admin: true })
    const other = await shared.addUser({ admin: true })
    await set(one.id, true)
    await expect(set(other.id, true)).rejects.toMatchObject({
      code: 'access_denied',
      description: 'This is the last active administrator, who cannot be disabled.',
    })
    // He who is disabled already is not the last one, nor is somebody who is no administrator.
    await set(one.id, true)
    await set((await shared.addUser()).id, true)
    await set(one.id, false)
    await set(other.id, true)
  })

  test('of administrators who shut each other out at once on two replicas one stays', async () => {
    const replicas = [shared.replica(), shared.another()]
    for (let round = 0; round < 10; round += 1) {
      await shared.query('update identity.users set is_admin = false')
      const administrators = await Promise.all([1, 2, 3].map(() => shared.addUser({ admin: true })))
      const results = await Promise.allSettled(
        administrators.map(({ id }, index) => set(id, true, replicas[index % 2])),
      )
      const refused = results.filter(({ status }) => status === 'rejected')
      expect(refused).toMatchObject([{ reason: { code: 'access_denied' } }])
    }
  })
})
