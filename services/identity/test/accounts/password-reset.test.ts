import { randomBytes, randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { resetPassword } from '../../src/accounts/password-reset.ts'
import { authenticateUser } from '../../src/logins/authentication.ts'
import { getSession } from '../../src/logins/session.ts'
import { actor, attemptOf, rightPassword, useReplicas, written } from '../store/replica.ts'

const shared = useReplicas()
const reset = (userId: string, newPassword: string | undefined, replica = shared.replica()) =>
  resetPassword({ userId, newPassword }, actor, replica.admin.changes)
const authenticate = async (username: string, password: string) =>
  (await authenticateUser(attemptOf(username, password), shared.replica().login)).outcome

test('ends the user’s sessions, revokes their tokens and writes an audit entry without the password', async () => {
  const replica = shared.another()
  const { id, username } = await shared.addUser()
  const { secret } = await shared.browserOf(username)
  expect(await reset(id, 'a chosen password', replica)).toBeUndefined()
  expect(await getSession(secret, replica.sessions)).toBeUndefined()
  expect(replica.revoked).toEqual([{ kind: 'user', target: id, issuedBefore: expect.any(Date) }])
  expect(await authenticate(username, rightPassword)).toBe('wrong')
  expect(await authenticate(username, 'a chosen password')).toBe('right')
  expect(await shared.auditOf(id)).toEqual([written('user.password.reset', null, null)])
})

test('generates a readable password, a different one each time, with which the user can log in', async () => {
  const { id, username } = await shared.addUser()
  const passwords = [await reset(id, undefined), await reset(id, undefined)]
  for (const password of passwords)
    expect(password).toMatch(/^[a-hj-km-np-z2-9]{5}(-[a-hj-km-np-z2-9]{5}){3}$/)
  expect(passwords[0]).not.toBe(passwords[1])
  expect(await authenticate(username, passwords[1] ?? '')).toBe('right')
})

test('uses every letter and digit equally often in generated passwords', async () => {
  const { store, ...rest } = shared.replica().admin.changes
  const counts = new Map<string, number>()
  const deps = { ...rest, hashing: { hash: async () => 'a hash' }, randomBytes, deliver: async () => {} }
  const noStore = { ...store, setPassword: async () => [1n] }
  for (let time = 0; time < 2_000; time += 1) {
    const made = await resetPassword({ userId: randomUUID() }, actor, {
      ...deps,
      store: noStore,
    })
    for (const letter of (made ?? '').replaceAll('-', '')) counts.set(letter, (counts.get(letter) ?? 0) + 1)
  }
  // 40,000 letters of 31 kinds: 1,290 each, and a bias of the first eight would make them 1,406.
  expect(counts.size).toBe(31)
  const first = [...'abcdefgh'].reduce((sum, letter) => sum + (counts.get(letter) ?? 0), 0) / 8
  expect(Math.abs(first - 40_000 / 31)).toBeLessThan(60)
})

test('refuses an unacceptable password and changes nothing', async () => {
  const { id, username } = await shared.addUser()
  await expect(reset(id, 'short')).rejects.toMatchObject({
    code: 'invalid_request',
    description: 'new_password must have at least 12 characters.',
  })
  expect(await authenticate(username, rightPassword)).toBe('right')
  expect(await shared.auditOf(id)).toEqual([])
})

test('gives a password to a user without one', async () => {
  const { id, username } = await shared.addUser({ passwordHash: undefined })
  await reset(id, 'a chosen password')
  expect(await authenticate(username, 'a chosen password')).toBe('right')
})
