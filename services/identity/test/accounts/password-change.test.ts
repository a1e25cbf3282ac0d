import { expect, test } from 'vitest'
import { changePassword } from '../../src/accounts/password-change.ts'
import { authenticateUser } from '../../src/logins/authentication.ts'
import { getSession } from '../../src/logins/session.ts'
import { attemptOf, rightPassword, useReplicas } from '../store/replica.ts'

const shared = useReplicas()
const find = (secret: string) => getSession(secret, shared.replica().sessions)

const change = (sessionSecret: string, changes: object = {}) =>
  changePassword(
    {
      sessionSecret,
      currentPassword: rightPassword,
      newPassword: 'a new password',
      ipAddress: attemptOf('', '').ipAddress,
      keepAccess: false,
      ...changes,
    },
    shared.replica().passwordChange,
  )

const outcomeOf = async (username: string, password: string) =>
  (await authenticateUser(attemptOf(username, password), shared.replica().login)).outcome

test('accepts the new password, rejects the previous one, and ends the user’s other sessions', async () => {
  const { username } = await shared.addUser()
  const stranger = await shared.browserOf((await shared.addUser()).username)
  const here = await shared.browserOf(username)
  const elsewhere = await shared.browserOf(username)
  expect(await change(here.secret)).toEqual({ outcome: 'changed' })
  expect(await outcomeOf(username, 'a new password')).toBe('right')
  expect(await outcomeOf(username, rightPassword)).toBe('wrong')
  expect(await find(here.secret)).toBeDefined()
  expect(await find(elsewhere.secret)).toBeUndefined()
  expect(await find(stranger.secret)).toBeDefined()
})

test('revokes the user’s tokens, at once or when the token service is back', async () => {
  const { id, username } = await shared.addUser()
  const { secret } = await shared.browserOf(username)
  const { revoked, deliverAll } = shared.replica()
  const pending = () => shared.query('select kind, target from identity.pending_revocations')
  expect(await change(secret)).toEqual({ outcome: 'changed' })
  expect(revoked.at(-1)).toEqual({ kind: 'user', target: id, issuedBefore: expect.any(Date) })
  expect(await pending()).toEqual([])

  shared.replica().tokenAway = true
  expect(
    await change(secret, { currentPassword: 'a new password', newPassword: 'quite another one' }),
  ).toEqual({
    outcome: 'changed',
  })
  expect(await pending()).toEqual([{ kind: 'user', target: id }])
  shared.replica().tokenAway = false
  await deliverAll()
  expect(revoked.filter(({ target }) => target === id)).toHaveLength(2)
})

test('ends no session and revokes no token when access is kept', async () => {
  const { id, username } = await shared.addUser()
  const here = await shared.browserOf(username)
  const elsewhere = await shared.browserOf(username)
  expect(await change(here.secret, { keepAccess: true })).toEqual({ outcome: 'changed' })
  expect(await outcomeOf(username, rightPassword)).toBe('wrong')
  expect(await find(here.secret)).toBeDefined()
  expect(await find(elsewhere.secret)).toBeDefined()
  expect(shared.replica().revoked.filter(({ target }) => target === id)).toEqual([])
  expect(await shared.query('select from identity.pending_revocations where target = $1', [id])).toEqual([])
})

test('changes nothing for a wrong current password', async () => {
  const { id, username } = await shared.addUser()
  const here = await shared.browserOf(username)
  const elsewhere = await shared.browserOf(username)
  expect(await change(here.secret, { currentPassword: 'wrong password' })).toEqual({ outcome: 'wrong' })
  expect(await outcomeOf(username, rightPassword)).toBe('right')
  expect(await find(elsewhere.secret)).toBeDefined()
  expect(shared.replica().revoked.filter(({ target }) => target === id)).toEqual([])
})

test('counts wrong current passwords as failed logins', async () => {
  const { username } = await shared.addUser()
  const { secret } = await shared.browserOf(username)
  const { ipAddress } = attemptOf('', '')
  const { counts } = shared.replica()
  const failed = counts.failed
  for (let time = 0; time < 5; time += 1) {
    expect(await change(secret, { currentPassword: 'wrong', ipAddress })).toEqual({ outcome: 'wrong' })
    const login = { ...attemptOf(username, 'wrong'), ipAddress }
    expect(await authenticateUser(login, shared.replica().login)).toEqual({ outcome: 'wrong' })
  }
  expect(counts.failed).toBe(failed + 10)
  expect(await change(secret, { ipAddress })).toMatchObject({ outcome: 'throttled' })
  expect(await outcomeOf(username, rightPassword)).toBe('right')
})

test.each([
  ['', 'too_short', 'must have at least 12 characters'],
  ['eleven char', 'too_short', 'must have at least 12 characters'],
  ['x'.repeat(1_025), 'too_long', 'must have at most 1024 characters'],
  ['q1w2e3r4t5y6', 'too_common', 'is one of the most common passwords, which are guessed first'],
])(
  'refuses an unacceptable new password before checking the current one (case %#)',
  async (newPassword, code, words) => {
    const { username } = await shared.addUser()
    const { secret } = await shared.browserOf(username)
    const { compared } = shared.replica().counts
    expect(await change(secret, { newPassword })).toEqual({
      outcome: 'unacceptable',
      code,
      reason: `The new password ${words}.`,
    })
    expect(shared.replica().counts.compared).toBe(compared)
    expect(await outcomeOf(username, rightPassword)).toBe('right')
  },
)

test('requires a login without an active session', async () => {
  const { username } = await shared.addUser()
  const { id, secret } = await shared.browserOf(username)
  await expect(change('unknown')).rejects.toMatchObject({ code: 'login_required' })
  await shared.query('update identity.sessions set expires_at = now() where id = $1', [id])
  await expect(change(secret)).rejects.toMatchObject({ code: 'login_required' })
})

test('refuses a user without a password', async () => {
  const { id, username } = await shared.addUser()
  const { secret } = await shared.browserOf(username)
  await shared.query('update identity.users set password_hash = null where id = $1', [id])
  const refused = {
    outcome: 'unacceptable',
    code: 'no_password',
    reason: expect.stringContaining('You have no password here'),
  }
  expect(await change(secret)).toEqual(refused)
  expect(await change(secret, { currentPassword: '' })).toEqual(refused)
})

test('lets only one of two changes at once succeed, and keeps that browser logged in', async () => {
  const { username } = await shared.addUser()
  const browsers = [await shared.browserOf(username), await shared.browserOf(username)]
  const outcomes = await Promise.all(
    browsers.map(({ secret }, index) =>
      change(secret, { newPassword: `new password ${index}` }).then(
        ({ outcome }) => outcome,
        ({ code }) => code,
      ),
    ),
  )
  const winner = outcomes.indexOf('changed')
  expect(outcomes.filter((outcome) => outcome === 'changed')).toHaveLength(1)
  expect(await outcomeOf(username, `new password ${winner}`)).toBe('right')
  const alive = await Promise.all(browsers.map(({ secret }) => find(secret)))
  expect(alive.map(Boolean)).toEqual([winner === 0, winner === 1])
})

test('leaves no session of logins that were under way with the previous password', async () => {
  const { username } = await shared.addUser()
  const here = await shared.browserOf(username)
  const results = await Promise.allSettled([
    change(here.secret),
    ...Array.from({ length: 6 }, () => shared.browserOf(username)),
  ])
  expect(results[0]).toMatchObject({ value: { outcome: 'changed' } })
  const rows = await shared.query(
    'select s.id from identity.sessions s join identity.users u on u.id = s.user_id where u.username = $1',
    [username],
  )
  expect(rows).toEqual([{ id: here.id }])
})
