import { describe, expect, test } from 'vitest'
import { getMailLink } from '../../src/accounts/mail-link.ts'
import { completeSignUp, requestSignUp } from '../../src/accounts/sign-up.ts'
import { digestOf } from '../../src/basics/secret.ts'
import { getSession, logIn } from '../../src/logins/session.ts'
import { updateUser } from '../../src/users/user-change.ts'
import { mailDeps, newAddress } from '../store/mail/mails.ts'
import { actor, attemptOf } from '../store/replica.ts'
import { signUpForm, useSignUps } from './signing-up.ts'

const { shared, mailbox, deps, linkFor } = useSignUps()

describe('signing up', () => {
  test('creates a user with the address of the link, verified, and logs them in', async () => {
    const address = newAddress()
    const { secret, link } = await linkFor(address, '/oauth/continue?flow=x')
    expect(link.href).toMatch(/^https:\/\/login\.example\.com\/auth\/signup\/complete\?token=[\w-]{43}$/)
    expect(await getMailLink({ secret, purpose: 'sign_up' }, deps().links)).toEqual({
      address,
      returnTo: '/oauth/continue?flow=x',
      username: undefined,
    })
    const wanted = signUpForm(secret)
    const outcome = await completeSignUp(wanted, deps().signUp)
    if (outcome.outcome !== 'signed up' || outcome.login.outcome !== 'right') throw new Error(outcome.outcome)
    expect(outcome.returnTo).toBe('/oauth/continue?flow=x')
    const session = await getSession(outcome.login.value.secret, shared.replica().sessions)
    expect(session?.user.username).toBe(wanted.username)
    const [user] = await shared.query('select attributes, is_admin from identity.users where username = $1', [
      wanted.username,
    ])
    expect(user).toEqual({
      is_admin: false,
      attributes: { email: address, email_verified: true, locale: 'de' },
    })
    const again = await logIn(
      { ...attemptOf(wanted.username, wanted.password), userAgent: '', previousSecret: undefined },
      shared.replica().login,
    )
    expect(again.outcome).toBe('right')
  })

  test('opening the link does not use it, and using it works once', async () => {
    const address = newAddress()
    const { secret } = await linkFor(address)
    for (const _ of [1, 2, 3])
      expect(await getMailLink({ secret, purpose: 'sign_up' }, deps().links)).toBeDefined()
    expect((await completeSignUp(signUpForm(secret), deps().signUp)).outcome).toBe('signed up')
    expect(await getMailLink({ secret, purpose: 'sign_up' }, deps().links)).toBeUndefined()
    expect((await completeSignUp(signUpForm(secret), deps().signUp)).outcome).toBe('link over')
  })

  test('leads nowhere without a path, also if the release before has stored an empty one', async () => {
    const [plain, earlier] = [await linkFor(newAddress()), await linkFor(newAddress())]
    await shared.query(`update identity.mail_links set content = '{"returnTo": ""}' where link_digest = $1`, [
      digestOf(earlier.secret),
    ])
    for (const { secret } of [plain, earlier]) {
      expect((await getMailLink({ secret, purpose: 'sign_up' }, deps().links))?.returnTo).toBeUndefined()
      const outcome = await completeSignUp(signUpForm(secret), deps().signUp)
      expect(outcome).toMatchObject({ outcome: 'signed up', returnTo: undefined })
    }
  })

  test('of ten uses at once, one creates a user', async () => {
    const address = newAddress()
    const { secret } = await linkFor(address)
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, () => completeSignUp(signUpForm(secret), mailDeps(shared.replica()).signUp)),
    )
    expect(outcomes.filter(({ outcome }) => outcome === 'signed up')).toHaveLength(1)
    expect(
      await shared.query(`select 1 from identity.users where attributes ->> 'email' = $1`, [address]),
    ).toHaveLength(1)
  })

  test('of two links of one address at once, one creates a user', async () => {
    const address = newAddress()
    const [one, other] = [await linkFor(address), await linkFor(address)]
    const outcomes = await Promise.all([
      completeSignUp(signUpForm(one.secret), deps().signUp),
      completeSignUp(signUpForm(other.secret), deps().signUp),
    ])
    expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(['link over', 'signed up'])
  })

  test('a link is good for an hour, and for nothing but its purpose', async () => {
    const { secret } = await linkFor(newAddress())
    expect(await getMailLink({ secret, purpose: 'password_reset' }, deps().links)).toBeUndefined()
    await shared.query(`update identity.mail_links set expires_at = expires_at - interval '1 hour'`)
    expect(await getMailLink({ secret, purpose: 'sign_up' }, deps().links)).toBeUndefined()
    expect((await completeSignUp(signUpForm(secret), deps().signUp)).outcome).toBe('link over')
  })

  test('a form that must be corrected leaves the link good', async () => {
    const { secret } = await linkFor(newAddress())
    const { username: taken } = await shared.addUser()
    const faults = [
      [{ password: 'short' }, 'password'],
      [{ username: 'with space' }, 'username'],
      [{ username: taken.toUpperCase() }, 'username'],
      [{ username: 'somebody.else@example.com' }, 'username'],
      [{ username: 'evil.example/x' }, 'username'],
      [{ username: 'WWW.evil.example' }, 'username'],
      [{ username: 'Admin' }, 'username'],
      [{ username: 'support' }, 'username'],
    ] as const
    for (const [changes, field] of faults)
      expect(await completeSignUp(signUpForm(secret, changes), deps().signUp)).toMatchObject({
        problem: { field },
      })
    expect((await completeSignUp(signUpForm(secret), deps().signUp)).outcome).toBe('signed up')
  })

  test('one’s own address may be the user name', async () => {
    const address = newAddress()
    const { secret } = await linkFor(address)
    expect((await completeSignUp(signUpForm(secret, { username: address }), deps().signUp)).outcome).toBe(
      'signed up',
    )
  })

  test('an address that has an account gets a mail that says so, and no link that creates one', async () => {
    const address = newAddress()
    const first = await linkFor(address)
    const wanted = signUpForm(first.secret)
    await completeSignUp(wanted, deps().signUp)
    expect(await requestSignUp({ address, language: 'en' }, deps().signUp)).toBeUndefined()
    const { mail, link } = await mailbox.oneFor(address)
    expect(mail.text).toContain(wanted.username)
    expect(link.pathname).toBe('/auth/forgot')
    expect(link.search).toBe('')
  })

  test('an address of somebody who gets an account meanwhile signs nobody up', async () => {
    const address = newAddress()
    const { secret } = await linkFor(address)
    const { id: userId } = await shared.addUser()
    const attributes = { email: address, email_verified: true }
    await updateUser({ userId, attributes }, actor, shared.replica().admin.changes)
    expect((await completeSignUp(signUpForm(secret), deps().signUp)).outcome).toBe('link over')
  })

  test.each([
    '',
    'no address',
    'a@b@c',
    'ann@example.com\r\nBcc: eve@example.com',
    'ann@example.com, eve@example.com',
  ])('takes nothing that is no address: %j', async (address) => {
    expect(await requestSignUp({ address, language: 'en' }, deps().signUp)).toMatch(/^The address must be/)
    expect(await shared.query('select 1 from identity.mail_requests')).toEqual([])
  })

  test('nobody can fill a mailbox: five mails an hour go to an address, from all replicas together', async () => {
    const address = newAddress()
    for (let count = 0; count < 12; count += 1)
      await requestSignUp({ address, language: 'en' }, deps().signUp)
    expect(await mailbox.arriving(address)).toHaveLength(5)
  })

  test('is refused where it is closed, and where only the invited may', async () => {
    const request = { address: newAddress(), language: 'en' }
    for (const mode of ['closed', 'invitation'] as const)
      await expect(requestSignUp(request, { ...deps().signUp, mode })).rejects.toThrow(/Signing up is closed/)
    const { secret } = await linkFor(newAddress())
    await expect(completeSignUp(signUpForm(secret), { ...deps().signUp, mode: 'closed' })).rejects.toThrow(
      /closed/,
    )
  })
})
