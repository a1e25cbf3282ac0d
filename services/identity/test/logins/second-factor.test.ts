import { expect, test } from 'vitest'
import { changePassword } from '../../src/accounts/password-change.ts'
import { resetPassword } from '../../src/accounts/password-reset.ts'
import { digestOf } from '../../src/basics/secret.ts'
import { proveSecondFactor } from '../../src/factors/second-factor-proof.ts'
import { authenticateUser } from '../../src/logins/authentication.ts'
import { getSession, listSessions, logIn } from '../../src/logins/session.ts'
import { recordUnfinishedLogins } from '../../src/logins/unfinished-logins.ts'
import { hashPassword } from '../../src/passwords/password.ts'
import { updateUser } from '../../src/users/user-change.ts'
import { appCode, pendingOf, recoveryCode, sessionOf, useFactors } from '../store/factors/factors.ts'
import { actor, attemptOf, rightPassword } from '../store/replica.ts'

const shared = useFactors()
const find = (secret: string) => getSession(secret, shared.replica().sessions)

test('the right password alone begins no session for a user who has a second factor', async () => {
  const { id, username } = await shared.userWithApp()
  const secret = await shared.pendingLogin(username)
  expect(secret).toMatch(/^[\w-]{43}$/)
  expect(await listSessions(id, shared.replica().sessions)).toEqual([])
  expect(await find(secret)).toBeUndefined()
})

test('the password and the code begin a session that has both methods', async () => {
  const { id, username, code, later } = await shared.userWithApp()
  const secret = await shared.pendingLogin(username, { clientId: 'client_x' })
  const result = await shared.prove(pendingOf(secret), appCode(code), { at: later })
  if (result.outcome !== 'right') throw new Error(result.outcome)
  const session = await find(result.value.secret)
  expect(session).toMatchObject({
    user: { id },
    methods: ['pwd', 'otp', 'mfa'],
    secondFactorUnproven: false,
    secondFactorDue: false,
    ipAddress: '192.0.2.9',
  })
  expect(result.value.session).toEqual({ ...session, seenAt: session?.authenticatedAt })
  expect(await shared.failuresOf(id)).toEqual(['password', 'password'])
  const rows = await shared.query(
    'select client_id from identity.login_attempts where user_id = $1 order by at desc',
    [id],
  )
  expect(rows[0]?.client_id).toBe('client_x')
})

test('a pending login is stored by its digest, and without the password’s hash', async () => {
  const { username, passwordHash } = await shared.userWithApp()
  const secret = await shared.pendingLogin(username)
  const [row] = await shared.query('select p::text from identity.pending_logins p where secret_digest = $1', [
    digestOf(secret),
  ])
  expect(JSON.stringify(row)).not.toContain(secret)
  expect(JSON.stringify(row)).not.toContain(passwordHash)
})

test('a pending login becomes one session, however many right factors come at once', async () => {
  const { id, username, code, later, recoveryCodes } = await shared.userWithApp()
  const secret = await shared.pendingLogin(username)
  const given = [appCode(code), ...recoveryCodes.slice(0, 5).map(recoveryCode)]
  const replicas = [shared.replica(), shared.another()]
  const results = await Promise.all(
    given.map((one, index) =>
      shared.prove(pendingOf(secret), one, { ...replicas[index % 2]?.factors, at: later }),
    ),
  )
  const outcomes = results.map(({ outcome }) => outcome)
  expect(outcomes.filter((outcome) => outcome === 'right')).toHaveLength(1)
  expect(await listSessions(id, shared.replica().sessions)).toHaveLength(1)
  expect(await shared.prove(pendingOf(secret), recoveryCode(recoveryCodes[7] ?? ''))).toEqual({
    outcome: 'ended',
  })
})

test('a pending login ends after ten minutes, and its user can see that somebody had the password', async () => {
  const { id, username, code, later } = await shared.userWithApp()
  const secret = await shared.pendingLogin(username)
  const [row] = await shared.query(
    'select extract(epoch from expires_at - now())::int as seconds from identity.pending_logins where user_id = $1',
    [id],
  )
  expect(row?.seconds).toBeGreaterThan(590)
  expect(row?.seconds).toBeLessThanOrEqual(600)
  await shared.query('update identity.pending_logins set expires_at = now() where user_id = $1', [id])
  expect(await shared.prove(pendingOf(secret), appCode(code), { at: later })).toEqual({ outcome: 'ended' })
  expect(await recordUnfinishedLogins(shared.replica())).toBeGreaterThan(0)
  expect((await shared.failuresOf(id)).at(-1)).toBe('password second_factor_missing')
  expect(await shared.query('select from identity.pending_logins where user_id = $1', [id])).toEqual([])
})

test('replicas that clean up at once record each unfinished login once', async () => {
  const { id, username } = await shared.userWithApp()
  for (let count = 1; count <= 20; count += 1) await shared.pendingLogin(username)
  await shared.query('update identity.pending_logins set expires_at = now() where user_id = $1', [id])
  const replicas = [shared.replica(), shared.another()]
  await Promise.all(replicas.map(recordUnfinishedLogins))
  const failures = await shared.failuresOf(id)
  expect(failures.filter((failure) => failure === 'password second_factor_missing')).toHaveLength(20)
})

test('a user whose password was changed or who was disabled meanwhile gets no session', async () => {
  const given = async (
    user: Awaited<ReturnType<typeof shared.userWithApp>>,
    change: () => Promise<unknown>,
  ) => {
    const secret = await shared.pendingLogin(user.username)
    await change()
    return shared.prove(pendingOf(secret), appCode(user.code), { at: user.later })
  }
  const { admin } = shared.replica()
  const reset = await shared.userWithApp()
  const newPassword = 'another right password'
  const outcome = await given(reset, () =>
    resetPassword({ userId: reset.id, newPassword }, actor, admin.changes),
  )
  expect(outcome).toEqual({ outcome: 'ended' })

  const disabled = await shared.userWithApp()
  const disable = () => updateUser({ userId: disabled.id, disabled: true }, actor, admin.changes)
  expect(await given(disabled, disable)).toEqual({ outcome: 'ended' })
  for (const { id } of [reset, disabled]) {
    expect(await listSessions(id, shared.replica().sessions)).toEqual([])
  }
})

test('begins no session when the password changes between the right code and the session', async () => {
  const { id, username, code, later } = await shared.userWithApp()
  const secret = await shared.pendingLogin(username)
  const { sessions } = shared.replica()
  const changing = {
    ...sessions,
    complete: async (session: Parameters<typeof sessions.complete>[0]) => {
      await shared.query('update identity.users set password_hash = $2 where id = $1', [
        id,
        await hashPassword('a new password'),
      ])
      return sessions.complete(session)
    },
  }
  const result = await shared.prove(pendingOf(secret), appCode(code), { at: later, sessions: changing })
  expect(result).toEqual({ outcome: 'ended' })
  expect((await shared.failuresOf(id)).at(-1)).toBe('password login_expired')
  expect(await listSessions(id, sessions)).toEqual([])
})

test('a new password leaves the second factor', async () => {
  const { id, username } = await shared.userWithApp()
  const newPassword = 'another right password'
  await resetPassword({ userId: id, newPassword }, actor, shared.replica().admin.changes)
  const attempt = { ...attemptOf(username, newPassword), userAgent: '', previousSecret: undefined }
  expect((await logIn(attempt, shared.replica().login)).outcome).toBe('second factor')
})

test('a password that its owner changes leaves the second factor', async () => {
  const user = await shared.userWithSession()
  const { secret } = await shared.addApp(user.secret)
  const change = { currentPassword: rightPassword, newPassword: 'my new password', ipAddress: '192.0.2.1' }
  const deps = shared.replica().passwordChange
  const changed = await changePassword({ ...change, sessionSecret: secret, keepAccess: false }, deps)
  expect(changed).toEqual({ outcome: 'changed' })
  const attempt = { ...attemptOf(user.username, 'my new password'), userAgent: '', previousSecret: undefined }
  expect((await logIn(attempt, shared.replica().login)).outcome).toBe('second factor')
})

test('a session that began before the first factor changes the password only once it has proven it', async () => {
  const { username, secret } = await shared.userWithSession()
  const before = await shared.browserOf(username)
  const enrolled = await shared.addApp(secret)
  const change = (sessionSecret: string) =>
    changePassword(
      {
        sessionSecret,
        currentPassword: rightPassword,
        newPassword: 'quite another password',
        ipAddress: '192.0.2.1',
        keepAccess: true,
      },
      shared.replica().passwordChange,
    )
  await expect(change(before.secret)).rejects.toMatchObject({ code: 'login_required' })
  expect(await change(enrolled.secret)).toEqual({ outcome: 'changed' })
})

test('the session of a browser goes on after the second factor if it is the same user’s', async () => {
  const { username, code, later, app } = await shared.userWithApp()
  const first = await shared.pendingLogin(username)
  const begun = await shared.prove(pendingOf(first), appCode(code), { at: later })
  if (begun.outcome !== 'right') throw new Error(begun.outcome)
  const { factors } = shared.replica()
  const again = await shared.pendingLogin(username, { previousSecret: begun.value.secret })
  // The login that waits leaves the session as it is.
  expect(await find(begun.value.secret)).toBeDefined()
  const result = await proveSecondFactor(
    pendingOf(again),
    appCode(app.code(later + 30_000)),
    { ipAddress: '192.0.2.9', userAgent: 'A browser', previousSecret: begun.value.secret },
    { ...factors, now: () => later + 30_000 },
  )
  if (result.outcome !== 'right') throw new Error(result.outcome)
  expect(result.value.session.id).toBe(begun.value.session.id)
  expect(await find(begun.value.secret)).toBeUndefined()
})

test('a session that began before the first factor proves it later, and gets a new secret', async () => {
  const user = await shared.addUser()
  const before = await shared.browserOf(user.username)
  const elsewhere = await shared.browserOf(user.username)
  const { app, enrolledAt } = await shared.addApp(elsewhere.secret)
  expect(await find(before.secret)).toMatchObject({
    methods: ['pwd'],
    secondFactorUnproven: true,
    secondFactorDue: true,
  })
  await shared.age(before.secret, 3_600)
  const at = enrolledAt + 30_000
  const result = await shared.prove(sessionOf(before.secret), appCode(app.code(at)), { at })
  if (result.outcome !== 'right') throw new Error(result.outcome)
  expect(await find(before.secret)).toBeUndefined()
  const raised = await find(result.value.secret)
  expect(raised).toMatchObject({ id: before.id, methods: ['pwd', 'otp', 'mfa'], secondFactorDue: false })
  // The password is as old as it was.
  expect(raised?.authenticatedAt.getTime()).toBeLessThan(Date.now() - 3_500_000)
  const nothing = await shared.prove(sessionOf(result.value.secret), appCode('123456'))
  expect(nothing).toEqual({ outcome: 'ended' })
})

test('a session that has ended proves nothing', async () => {
  const user = await shared.addUser()
  const before = await shared.browserOf(user.username)
  const elsewhere = await shared.browserOf(user.username)
  const { app, enrolledAt } = await shared.addApp(elsewhere.secret)
  await shared.query('delete from identity.sessions where id = $1', [before.id])
  const at = enrolledAt + 30_000
  const given = appCode(app.code(at))
  expect(await shared.prove(sessionOf(before.secret), given, { at })).toEqual({ outcome: 'ended' })
  expect(await shared.prove(sessionOf(shared.randomSecret()), given, { at })).toEqual({ outcome: 'ended' })
  expect(await shared.prove(pendingOf(shared.randomSecret()), given, { at })).toEqual({ outcome: 'ended' })
})

test('the password grant refuses a user who has a second factor as it refuses a wrong password', async () => {
  const { id, username } = await shared.userWithApp()
  const { login, counts } = shared.replica()
  const before = { ...counts }
  const right = await authenticateUser(attemptOf(username, rightPassword), login)
  expect(right).toEqual(await authenticateUser(attemptOf(username, 'wrong password'), login))
  expect(right).toEqual({ outcome: 'wrong' })
  expect((await shared.failuresOf(id)).slice(-2)).toEqual([
    'password_grant second_factor_required',
    'password_grant wrong_password',
  ])
  // Both passwords were compared with the hash, and both count as failures.
  expect(counts.compared - before.compared).toBe(2)
  expect(counts.failed - before.failed).toBe(2)
  const attempt = attemptOf(username, rightPassword)
  for (let count = 1; count <= 10; count += 1) await authenticateUser(attempt, login)
  expect((await authenticateUser(attempt, login)).outcome).toBe('throttled')
})
