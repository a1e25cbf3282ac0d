import { describe, expect, test } from 'vitest'
import { confirmAddress, requestAddressConfirmation } from '../../src/accounts/address-confirmation.ts'
import { retryMail } from '../../src/accounts/mail-list.ts'
import { changePassword } from '../../src/accounts/password-change.ts'
import { requestSignUp } from '../../src/accounts/sign-up.ts'
import { digestOf } from '../../src/basics/secret.ts'
import { resetFactors } from '../../src/factors/factor-change.ts'
import { endSession } from '../../src/logins/session.ts'
import { createMailQueue } from '../../src/store/mail/mail-queue.ts'
import { endUserSessions, updateUser } from '../../src/users/user-change.ts'
import { getUser } from '../../src/users/user-list.ts'
import { mailDeps, newAddress, useMailbox } from '../store/mail/mails.ts'
import { actor, rightPassword, useReplicas } from '../store/replica.ts'

const shared = useReplicas()
const mailbox = useMailbox(shared)
const deps = () => mailDeps(shared.replica())

/** A user with an address and a session. */
async function loggedIn(verified = true) {
  const { id: userId, username } = await shared.addUser()
  const address = newAddress()
  const attributes = { email: address, email_verified: verified }
  await updateUser({ userId, attributes }, actor, shared.replica().admin.changes)
  const { secret: sessionSecret } = await shared.browserOf(username)
  return { userId, username, address, sessionSecret }
}

const ask = (sessionSecret: string, address?: string) =>
  requestAddressConfirmation({ sessionSecret, address, language: 'en' }, deps().confirmation)
const confirm = (secret: string) => confirmAddress(secret, deps().confirmation)
const attributesOf = async (userId: string) => (await getUser(userId, shared.replica().admin.list)).attributes

describe('confirming an address', () => {
  test('a new one becomes the user’s with the confirmation and not before, once', async () => {
    const { userId, address, sessionSecret } = await loggedIn()
    const other = newAddress()
    expect(await ask(sessionSecret, other)).toBe('sent')
    const { secret, link } = await mailbox.oneFor(other)
    expect(link.pathname).toBe('/auth/confirm-address')
    expect(await attributesOf(userId)).toEqual({ email: address, email_verified: true })
    expect(await confirm(secret)).toBe(true)
    expect(await attributesOf(userId)).toEqual({ email: other, email_verified: true })
    expect(await confirm(secret)).toBe(false)
  })

  test.each<[string, (userId: string) => Promise<unknown>]>([
    [
      'ends the user’s sessions',
      (userId) => endUserSessions({ userId }, actor, shared.replica().admin.changes),
    ],
    ['resets the user’s factors', (userId) => resetFactors({ userId }, actor, shared.replica().factors)],
  ])('a link that a session asked for is over when an administrator %s', async (_, act) => {
    const { userId, address, sessionSecret } = await loggedIn()
    const other = newAddress()
    await ask(sessionSecret, other)
    const { secret } = await mailbox.oneFor(other)
    await act(userId)
    expect(await confirm(secret)).toBe(false)
    expect(await attributesOf(userId)).toEqual({ email: address, email_verified: true })
  })

  test('a link that a session asked for is over when the user ends that session elsewhere, but not when they log out', async () => {
    const { sessions, login } = shared.replica()
    for (const [endLinks, confirmed] of [
      [true, false],
      [undefined, true],
    ]) {
      const { userId, username, sessionSecret } = await loggedIn()
      const session = await shared.browserOf(username)
      const other = newAddress()
      await ask(sessionSecret, other)
      const { secret } = await mailbox.oneFor(other)
      await endSession({ userId, sessionId: session.id, endLinks }, { sessions, deliver: login.deliver })
      expect(await confirm(secret)).toBe(confirmed)
    }
  })

  test('others cannot use up the mails with which a user confirms their own address', async () => {
    const { address, sessionSecret } = await loggedIn(false)
    const [other, another] = [await loggedIn(), await loggedIn()]
    for (const { sessionSecret: theirs } of [other, other, another, another, another])
      expect(await ask(theirs, address)).toBe('sent')
    expect(await ask(other.sessionSecret, address)).toBe('too many')
    expect(await ask(sessionSecret)).toBe('sent')
    expect(await ask(sessionSecret)).toBe('sent')
    expect(await ask(sessionSecret)).toBe('too many')
  })

  test('the mail to the previous address names the new one and has no link', async () => {
    const { address, sessionSecret } = await loggedIn()
    const other = newAddress()
    await ask(sessionSecret, other)
    await confirm((await mailbox.oneFor(other)).secret)
    const [mail] = await mailbox.arriving(address)
    expect(mail?.subject).toBe('Your e-mail address at Gatehouse was changed')
    expect(mail?.text).toContain(other)
    expect(mail?.text).not.toContain('http')
  })

  test('the one that a user has becomes verified, and no mail tells of it', async () => {
    const { userId, address, sessionSecret } = await loggedIn(false)
    expect(await ask(sessionSecret)).toBe('sent')
    expect(await confirm((await mailbox.oneFor(address)).secret)).toBe(true)
    expect(await attributesOf(userId)).toEqual({ email: address, email_verified: true })
    expect(await mailbox.arriving(address)).toEqual([])
    expect(await ask(sessionSecret)).toBe('unchanged')
  })

  test('a new one needs a login of the last five minutes, confirming one’s own does not', async () => {
    const { sessionSecret } = await loggedIn(false)
    await shared.query(`update identity.sessions set authenticated_at = now() - interval '301 seconds'`)
    expect(await ask(sessionSecret, newAddress())).toBe('login too old')
    expect(await ask(sessionSecret)).toBe('sent')
  })

  test('a link ends when the user is disabled, or has another address by now', async () => {
    const { userId, sessionSecret } = await loggedIn()
    const [one, other] = [newAddress(), newAddress()]
    await ask(sessionSecret, one)
    const first = await mailbox.oneFor(one)
    await ask(sessionSecret, other)
    const second = await mailbox.oneFor(other)
    expect(await confirm(second.secret)).toBe(true)
    expect(await confirm(first.secret)).toBe(false)
    await ask(sessionSecret, one)
    const third = await mailbox.oneFor(one)
    await updateUser({ userId, disabled: true }, actor, shared.replica().admin.changes)
    expect(await confirm(third.secret)).toBe(false)
  })

  test('a mail that is about to be sent when the password changes gets no link any more', async () => {
    const { sessionSecret } = await loggedIn()
    await ask(sessionSecret, newAddress())
    const queue = createMailQueue(shared.replica().database)
    const [mail] = await queue.take(1, 300)
    if (mail?.kind !== 'address') throw new Error('the mail is missing')
    const link = (secret: string) => ({
      ...({ digest: digestOf(secret), mailId: mail.id, purpose: 'address', userId: mail.userId } as const),
      ...{ address: mail.recipient, content: {}, lifetime: 3_600 },
    })
    expect(await queue.addLink(link('before'))).toBe(true)
    const change = { currentPassword: rightPassword, newPassword: 'quite another password', keepAccess: true }
    const source = { sessionSecret, ipAddress: '192.0.2.1' }
    const changed = await changePassword({ ...change, ...source }, shared.replica().passwordChange)
    expect(changed.outcome).toBe('changed')
    expect(await queue.addLink(link('after'))).toBe(false)
    for (const secret of ['before', 'after']) expect(await confirm(secret)).toBe(false)
  })

  test('a session that ends while it asks for a link gets none', async () => {
    const { userId, sessionSecret } = await loggedIn()
    const { addresses } = deps().confirmation
    const request = { secretDigest: digestOf(sessionSecret), userId, address: newAddress(), language: 'en' }
    const client = await shared.replica().database.pool.connect()
    try {
      await client.query('begin')
      await client.query('select from identity.users where id = $1 for no key update', [userId])
      const asked = addresses.request(request)
      await client.query('delete from identity.sessions where secret_digest = $1', [request.secretDigest])
      await client.query('commit')
      expect(await asked).toBe('session over')
    } finally {
      client.release()
    }
    expect(await mailbox.arriving(request.address)).toEqual([])
  })

  test('a mail that was given up is not sent again once the password has changed', async () => {
    const { sessionSecret } = await loggedIn()
    const other = newAddress()
    await ask(sessionSecret, other)
    const [mail] = await shared.query(
      `update identity.mails set state = 'failed', ended_at = now() where recipient = $1 returning mail_id as id`,
      [other],
    )
    const change = { currentPassword: rightPassword, newPassword: 'quite another password', keepAccess: true }
    const source = { sessionSecret, ipAddress: '192.0.2.1' }
    expect(await changePassword({ ...change, ...source }, shared.replica().passwordChange)).toEqual({
      outcome: 'changed',
    })
    const again = retryMail(`${mail?.id}`, actor, deps().list)
    await expect(again).rejects.toMatchObject({ code: 'not_found' })
  })

  test('says that an address is none, and refuses whoever has no session', async () => {
    const { sessionSecret } = await loggedIn()
    expect(await ask(sessionSecret, 'no address')).toBe('invalid')
    await expect(ask('unknown secret', newAddress())).rejects.toMatchObject({ code: 'login_required' })
  })

  test('five mails an hour go to an address, which do not keep its owner from signing up', async () => {
    const { sessionSecret } = await loggedIn()
    const other = newAddress()
    const outcomes = []
    for (let count = 0; count < 6; count += 1) outcomes.push(await ask(sessionSecret, other))
    expect(outcomes).toEqual(['sent', 'sent', 'sent', 'sent', 'sent', 'too many'])
    expect(await mailbox.arriving(other)).toHaveLength(5)
    await requestSignUp({ address: other, language: 'en' }, deps().signUp)
    expect((await mailbox.oneFor(other)).link.pathname).toBe('/auth/signup/complete')
  })
})
