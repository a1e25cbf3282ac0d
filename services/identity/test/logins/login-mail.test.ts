import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { logIn } from '../../src/logins/session.ts'
import { updateUser } from '../../src/users/user-change.ts'
import { newAddress, useMailbox } from '../store/mail/mails.ts'
import { actor, attemptOf, rightPassword, useReplicas } from '../store/replica.ts'

const shared = useReplicas()
const mailbox = useMailbox(shared)

/** A user with an address, whose account is older than an hour. */
async function userWith(attributes: Record<string, unknown> = {}) {
  const { id: userId, username } = await shared.addUser()
  const address = newAddress()
  const change = { userId, attributes: { email: address, email_verified: true, ...attributes } }
  await updateUser(change, actor, shared.replica().admin.changes)
  await shared.query(`update identity.users set created_at = now() - interval '2 hours' where id = $1`, [
    userId,
  ])
  return { userId, username, address }
}

const markOf = (name: string) => createHash('sha256').update(`known:${name.toLowerCase()}`).digest('hex')

async function login(username: string, { password = rightPassword, knownUsers = [] as string[] } = {}) {
  const browser = { userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' }
  const attempt = { ...attemptOf(username, password), ...browser, previousSecret: undefined, knownUsers }
  const result = await logIn(attempt, shared.replica().login)
  return result.outcome === 'right' ? result.value.session.user.username : result.outcome
}

describe('a login by e-mail address', () => {
  test('works for a verified address, whatever its case', async () => {
    const { username, address } = await userWith()
    expect(await login(address.toUpperCase())).toBe(username)
    expect(await login(address, { password: 'wrong password' })).toBe('wrong')
  })

  test('does not work for an address that is not verified, or that several users have', async () => {
    const unverified = await userWith({ email_verified: false })
    expect(await login(unverified.address)).toBe('wrong')
    const one = await userWith()
    await userWith({ email: one.address })
    expect(await login(one.address)).toBe('wrong')
    expect(await login(one.username)).toBe(one.username)
  })

  test('is a login of whoever has the address as their name, if somebody has', async () => {
    const { address } = await userWith()
    await shared.addUser({ username: address })
    expect(await login(address)).toBe(address)
  })
})

describe('a login with a browser that is not known', () => {
  test('is told by a mail with the browser, the address and the time', async () => {
    const { username, address } = await userWith({ zoneinfo: 'Asia/Tokyo' })
    await login(username)
    const { mail, link } = await mailbox.oneFor(address)
    expect(mail.subject).toBe('New login to your account at Gatehouse')
    expect(mail.text).toContain('Browser: Firefox, Linux')
    expect(mail.text).toMatch(/IP address: 10\.\d+\.\d+\.\d+/)
    expect(mail.text).toMatch(/Time: .+ GMT\+9/)
    expect(link.pathname).toBe('/account')
  })

  test.each([
    ['a known browser', {}, (name: string) => login(name, { knownUsers: ['x', markOf(name.toUpperCase())] })],
    ['a wrong password', {}, (name: string) => login(name, { password: 'wrong password' })],
    ['an address that is not verified', { email_verified: false }, (name: string) => login(name)],
  ])('is not told for %s', async (_, attributes, act) => {
    const { username, address } = await userWith(attributes)
    await act(username)
    expect(await mailbox.arriving(address)).toEqual([])
  })

  test('is not told to somebody who has just got their account', async () => {
    const { userId, username, address } = await userWith()
    await shared.query('update identity.users set created_at = now() where id = $1', [userId])
    await login(username)
    expect(await mailbox.arriving(address)).toEqual([])
  })
})
