import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { confirmAddress, requestAddressConfirmation } from '../../src/accounts/address-confirmation.ts'
import { completePasswordReset, requestPasswordReset } from '../../src/accounts/password-recovery.ts'
import { completeSignUp, requestSignUp } from '../../src/accounts/sign-up.ts'
import { appId, removeFactor } from '../../src/factors/factor-change.ts'
import { getSession, listSessions, logIn } from '../../src/logins/session.ts'
import { updateUser } from '../../src/users/user-change.ts'
import { appCode, pendingOf, sessionOf, useFactors } from '../store/factors/factors.ts'
import { mailDeps, newAddress, useMailbox } from '../store/mail/mails.ts'
import { actor, attemptOf } from '../store/replica.ts'

const shared = useFactors({ policy: 'required' })
const optionalFactors = useFactors()
const mailbox = useMailbox(shared)
const optionalMailbox = useMailbox(optionalFactors)
const deps = () => mailDeps(shared.replica())
const newPassword = 'quite another password'

test('whoever signs up where everybody must have a second factor enrols it before the session begins', async () => {
  const address = newAddress()
  await requestSignUp({ address, language: 'en', returnTo: '/x' }, deps().signUp)
  const { secret } = await mailbox.oneFor(address)
  const form = { secret, username: `user-${randomUUID()}`, password: newPassword, language: 'en' }
  const browser = { ipAddress: '192.0.2.7', userAgent: 'A browser', previousSecret: undefined }
  const outcome = await completeSignUp({ ...form, ...browser }, deps().signUp)
  if (outcome.outcome !== 'signed up' || outcome.login.outcome !== 'second factor')
    throw new Error(outcome.outcome)
  const { secret: pending } = outcome.login.pending
  expect(await getSession(pending, shared.replica().sessions)).toBeUndefined()
  const enrolled = await shared.addPasskey(pending, {}, pendingOf(pending))
  expect(await getSession(enrolled.secret, shared.replica().sessions)).toMatchObject({
    user: { username: form.username },
  })
})

test('a password that is reset by mail leaves the second factor, and ends logins that wait', async () => {
  const user = await shared.addUser()
  const address = newAddress()
  const attributes = { email: address, email_verified: true }
  await updateUser({ userId: user.id, attributes }, actor, shared.replica().admin.changes)
  const first = await shared.pendingLogin(user.username)
  const { app, enrolledAt } = await shared.addApp(first, pendingOf(first))
  const waiting = await shared.pendingLogin(user.username)
  // The mail about the new factor.
  await mailbox.oneFor(address)

  await requestPasswordReset({ username: address, language: 'en' }, deps().recovery)
  const { secret } = await mailbox.oneFor(address)
  const reset = await completePasswordReset({ secret, newPassword }, deps().recovery)
  expect(reset.outcome).toBe('reset')
  const at = enrolledAt + 30_000
  const given = appCode(app.code(at))
  expect(await shared.prove(pendingOf(waiting), given, { at })).toEqual({ outcome: 'ended' })
  expect(await listSessions(user.id, shared.replica().sessions)).toEqual([])

  const attempt = { ...attemptOf(user.username, newPassword), userAgent: '', previousSecret: undefined }
  const again = await logIn(attempt, shared.replica().login)
  if (again.outcome !== 'second factor') throw new Error(again.outcome)
  expect((await shared.prove(pendingOf(again.pending.secret), given, { at })).outcome).toBe('right')
})

test('a new address needs the second factor of a user who has one, in a session that began without it', async () => {
  const optional = optionalFactors.replica()
  const { username, secret } = await optionalFactors.userWithSession()
  const other = await optionalFactors.browserOf(username)
  const enrolled = await optionalFactors.addApp(secret)
  const ask = (sessionSecret: string) =>
    requestAddressConfirmation(
      { sessionSecret, address: newAddress(), language: 'en' },
      mailDeps(optional).confirmation,
    )
  expect(await ask(other.secret)).toBe('login too old')
  expect(await ask(enrolled.secret)).toBe('sent')
})

test.each<[string, (secret: string) => Promise<unknown>]>([
  ['removes the factor', (secret) => removeFactor(sessionOf(secret), appId, optionalFactors.deps())],
  ['replaces it', (secret) => optionalFactors.addApp(secret)],
])(
  'a link that a session asked for which may rest on a stolen factor is over when the user %s',
  async (_, act) => {
    const replica = optionalFactors.replica()
    const { username, secret } = await optionalFactors.userWithSession()
    const { app, secret: own, enrolledAt } = await optionalFactors.addApp(secret)
    const thief = pendingOf(await optionalFactors.pendingLogin(username))
    const at = enrolledAt + 30_000
    const proven = await optionalFactors.prove(thief, appCode(app.code(at)), { at })
    if (proven.outcome !== 'right') throw new Error(proven.outcome)
    const address = newAddress()
    const { confirmation } = mailDeps(replica)
    const ask = { sessionSecret: proven.value.secret, address, language: 'en' }
    expect(await requestAddressConfirmation(ask, confirmation)).toBe('sent')
    const link = await optionalMailbox.oneFor(address)
    await act(own)
    expect(await confirmAddress(link.secret, confirmation)).toBe(false)
  },
)
