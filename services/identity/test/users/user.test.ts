import { randomUUID } from 'node:crypto'
import type { AdminRole } from '@gatehouse/proto/administration'
import { describe, expect, test } from 'vitest'
import { authenticateUser } from '../../src/logins/authentication.ts'
import { usernameFault } from '../../src/users/user.ts'
import { createUser } from '../../src/users/user-change.ts'
import { actor, attemptOf, useReplicas } from '../store/replica.ts'

const shared = useReplicas()

describe('creating a user', () => {
  const create = (changes: { username?: string; password?: string; adminRole?: AdminRole | null } = {}) =>
    createUser(
      { username: `new-${randomUUID()}`, password: 'a good password', adminRole: null, ...changes },
      actor,
      shared.replica().admin.changes,
    )

  test('lets them log in with the given rights', async () => {
    const user = await create({ adminRole: 'owner' })
    const result = await authenticateUser(attemptOf(user.username, 'a good password'), shared.replica().login)
    expect(result).toMatchObject({ outcome: 'right', value: user })
    expect(user.adminRole).toBe('owner')
  })

  test.each<[string, object, string]>([
    ['username', { username: '' }, 'username must have 1 to 200 characters.'],
    ['username', { username: 'x'.repeat(201) }, 'username must have 1 to 200 characters.'],
    ['username', { username: 'two words' }, 'username must not contain white space or control characters.'],
    ['username', { username: 'Client_x' }, 'username must not begin with client_.'],
    ['password', { password: 'eleven char' }, 'password must have at least 12 characters.'],
    ['password', { password: 'x'.repeat(1_025) }, 'password must have at most 1024 characters.'],
  ])('refuses an invalid %s and names the field: %j', async (_, changes, description) => {
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
  ])('accepts the name %j', (name) => expect(usernameFault(name)).toBeUndefined())

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
    'a\u3164',
    '\u2800',
    '\u0301',
    'a\u202eb',
    '\ufeffa',
    'a\ud800',
    'client_',
    'CLIENT_X',
    'ａｄｍｉｎ',
    'adm\u0130n',
    'o\ufb03ce',
  ])('refuses the name %j', (name) => expect(usernameFault(name)).toBeTypeOf('string'))

  test('refuses a name that differs from another only in case, even when both are created at once', async () => {
    const name = `Ärger-${randomUUID()}`
    const names = [name, name.toUpperCase(), name.toLowerCase()]
    const results = await Promise.allSettled(names.map((username) => create({ username })))
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await expect(create({ username: name.toUpperCase() })).rejects.toMatchObject({
      code: 'invalid_request',
      description: 'username is already taken.',
    })
  })
})
