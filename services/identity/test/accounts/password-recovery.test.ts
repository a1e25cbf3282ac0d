import { describe, expect, test } from 'vitest'
import { getMailLink } from '../../src/accounts/mail-link.ts'
import { sendUserLink } from '../../src/accounts/mail-list.ts'
import { changePassword } from '../../src/accounts/password-change.ts'
import { completePasswordReset, requestPasswordReset } from '../../src/accounts/password-recovery.ts'
import { resetPassword } from '../../src/accounts/password-reset.ts'
import { requestSignUp } from '../../src/accounts/sign-up.ts'
import { getSession, logIn } from '../../src/logins/session.ts'
import { updateUser } from '../../src/users/user-change.ts'
import { mailDeps, newAddress, useMailbox } from '../store/mail/mails.ts'
import { actor, attemptOf, rightPassword, useReplicas } from '../store/replica.ts'

const shared = useReplicas()
const mailbox = useMailbox(shared)
const deps = () => mailDeps(shared.replica())
const newPassword = 'quite another password'

/** A user with an address. */
async function userWith(attributes: Record<string, unknown> = {}) {
  const user = await shared.addUser()
  const address = newAddress()
  const change = { userId: user.id, attributes: { email: address, email_verified: true, ...attributes } }
  await updateUser(change, actor, shared.replica().admin.changes)
  return { ...user, userId: user.id, address }
}

const ask = (username: string) =>
  requestPasswordReset({ username, language: 'en', returnTo: '/x' }, deps().recovery)
const complete = (secret: string, password = newPassword) =>
  completePasswordReset({ secret, newPassword: password }, deps().recovery)
const isGood = async (secret: string) =>
  (await getMailLink({ secret, purpose: 'password_reset' }, deps().links)) !== undefined
const canLogIn = async (username: string, password: string) =>
  (
    await logIn(
      { ...attemptOf(username, password), userAgent: '', previousSecret: undefined },
      shared.replica().login,
    )
  ).outcome === 'right'

describe('recovering a password', () => {
  test.each(['name', 'address'] as const)(
    'by one’s %s sets a new one, ends sessions and tokens, and tells',
    async (by) => {
      const { userId, username, address } = await userWith()
      const browser = await shared.browserOf(username)
      await ask(by === 'name' ? username.toUpperCase() : address.toUpperCase())
      const { secret } = await mailbox.oneFor(address)
      expect(await complete(secret)).toEqual({ outcome: 'reset', username, returnTo: '/x' })
      expect(await canLogIn(username, rightPassword)).toBe(false)
      expect(await canLogIn(username, newPassword)).toBe(true)
      expect(await getSession(browser.secret, shared.replica().sessions)).toBeUndefined()
      expect(shared.replica().revoked).toContainEqual(
        expect.objectContaining({ kind: 'user', target: userId }),
      )
      const { mail } = await mailbox.oneFor(address)
      expect(mail.subject).toBe('Your password for Gatehouse was changed')
    },
  )

  test('sends nothing for an unknown name, a disabled user, an address that is not verified, or none', async () => {
    const disabled = await userWith()
    await updateUser({ userId: disabled.userId, disabled: true }, actor, shared.replica().admin.changes)
    const unverified = await userWith({ email_verified: false })
    const none = await shared.addUser()
    for (const name of ['nobody', disabled.username, unverified.username, unverified.address, none.username])
      await ask(name)
    expect(await mailbox.arriving(disabled.address)).toEqual([])
    expect(await shared.query(`select 1 from identity.mails where state = 'waiting'`)).toEqual([])
    expect(await shared.query('select 1 from identity.mail_requests')).toEqual([])
  })

  test('stores the same whether or not there is such a user, so that the answer takes the same time', async () => {
    const { address } = await userWith()
    await ask('nobody@example.com')
    await ask(address)
    expect(await shared.query('select kind, language from identity.mail_requests')).toEqual([
      { kind: 'password_reset', language: 'en' },
      { kind: 'password_reset', language: 'en' },
    ])
    expect(await shared.query(`select 1 from identity.mails where state = 'waiting'`)).toEqual([])
    await mailbox.arriving(address)
  })

  test('of ten uses of a link at once, one sets the password', async () => {
    const { address, username } = await userWith()
    await ask(username)
    const { secret } = await mailbox.oneFor(address)
    const passwords = Array.from({ length: 10 }, (_, index) => `a new password number ${index}`)
    const outcomes = await Promise.all(passwords.map((password) => complete(secret, password)))
    expect(outcomes.filter(({ outcome }) => outcome === 'reset')).toHaveLength(1)
    const right = outcomes.findIndex(({ outcome }) => outcome === 'reset')
    expect(await canLogIn(username, passwords[right] ?? '')).toBe(true)
  })

  test('a password that breaks the rule leaves the link good', async () => {
    const { address, username } = await userWith()
    await ask(username)
    const { secret } = await mailbox.oneFor(address)
    expect(await complete(secret, 'short')).toMatchObject({ problem: { field: 'new_password' } })
    expect(await isGood(secret)).toBe(true)
  })

  test('gives a password to a user who had none', async () => {
    const user = await shared.addUser({ passwordHash: undefined })
    const address = newAddress()
    const attributes = { email: address, email_verified: true }
    await updateUser({ userId: user.id, attributes }, actor, shared.replica().admin.changes)
    await ask(user.username)
    await complete((await mailbox.oneFor(address)).secret)
    expect(await canLogIn(user.username, newPassword)).toBe(true)
  })

  const ends: [string, (user: Awaited<ReturnType<typeof userWith>>) => Promise<unknown>][] = [
    [
      'their password',
      async ({ username }) =>
        changePassword(
          {
            sessionSecret: (await shared.browserOf(username)).secret,
            currentPassword: rightPassword,
            newPassword: 'a password of their own',
            ipAddress: '192.0.2.1',
            keepAccess: true,
          },
          shared.replica().passwordChange,
        ),
    ],
    [
      'a password that an administrator gave them',
      ({ userId }) => resetPassword({ userId }, actor, shared.replica().admin.changes),
    ],
    [
      'their address',
      ({ userId }) =>
        updateUser({ userId, attributes: { email: newAddress() } }, actor, shared.replica().admin.changes),
    ],
    [
      'their state: they are disabled, even if they are enabled again',
      async ({ userId }) => {
        await updateUser({ userId, disabled: true }, actor, shared.replica().admin.changes)
        await updateUser({ userId, disabled: false }, actor, shared.replica().admin.changes)
      },
    ],
  ]
  test.each(ends)('a link ends when the user changes %s', async (_, change) => {
    const user = await userWith()
    await ask(user.username)
    const { secret } = await mailbox.oneFor(user.address)
    expect(await isGood(secret)).toBe(true)
    await change(user)
    expect(await isGood(secret)).toBe(false)
    expect((await complete(secret)).outcome).toBe('link over')
  })

  test('using one link ends the others, and mails that wait', async () => {
    const { address, username } = await userWith()
    await ask(username)
    const first = await mailbox.oneFor(address)
    await ask(username)
    const second = await mailbox.oneFor(address)
    expect((await complete(first.secret)).outcome).toBe('reset')
    expect(await isGood(second.secret)).toBe(false)
  })

  test('every account of an address gets a mail that names it', async () => {
    const one = await userWith()
    const other = await userWith({ email: one.address })
    await ask(one.address)
    const mails = await mailbox.arriving(one.address)
    expect(
      mails.map(({ text }) => [one, other].filter(({ username }) => text?.includes(username)).length),
    ).toEqual([1, 1])
  })

  test('works though strangers signed up with the address, and sends five mails an hour itself', async () => {
    const { address } = await userWith()
    for (let count = 0; count < 6; count += 1) await requestSignUp({ address, language: 'en' }, deps().signUp)
    expect(await mailbox.arriving(address)).toHaveLength(5)
    for (let count = 0; count < 6; count += 1) await ask(address)
    expect(await mailbox.arriving(address)).toHaveLength(5)
  })

  test('is refused where no mails can be sent', async () => {
    const request = { username: 'ann', language: 'en' }
    await expect(requestPasswordReset(request, { ...deps().recovery, mailsOn: false })).rejects.toThrow(
      /no mails/,
    )
  })

  test('an administrator can send the mail, which is audited', async () => {
    const { userId, address } = await userWith()
    await sendUserLink({ userId, purpose: 'password_reset' }, actor, deps().list)
    expect((await complete((await mailbox.oneFor(address)).secret)).outcome).toBe('reset')
    expect(await shared.auditOf(userId)).toContainEqual(
      expect.objectContaining({ action: 'user.mail', after: { mail: 'password_reset' } }),
    )
    const unverified = await userWith({ email_verified: false })
    await expect(
      sendUserLink({ userId: unverified.userId, purpose: 'password_reset' }, actor, deps().list),
    ).rejects.toThrow(/not verified/)
  })
})
