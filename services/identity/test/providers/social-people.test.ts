import { tenant } from '@gatehouse/test/servers/social-openid'
import { beforeEach, describe, expect, test } from 'vitest'
import { changePassword } from '../../src/accounts/password-change.ts'
import { getSession, logIn as logInByPassword } from '../../src/logins/session.ts'
import { updateUser } from '../../src/users/user-change.ts'
import { actor, attemptOf } from '../store/replica.ts'
import { userOf, useSocialLogins } from './social.ts'

const social = useSocialLogins()
const accountsOf = (userId: string) =>
  social.query('select provider, subject, display_name from identity.social_accounts where user_id = $1', [
    userId,
  ])
let counter = 0
const next = () => {
  counter += 1
  return counter
}
const unique = (text: string) => `${text}-${next()}`

beforeEach(() => {
  const { google, microsoft, github } = social.standIns()
  google.person = {
    sub: unique('google'),
    name: unique('Zoë Müller'),
    email: 'zoe@example.com',
    email_verified: true,
  }
  microsoft.person = { sub: unique('pairwise'), tid: tenant, oid: unique('oid'), name: unique('Zoë Müller') }
  const emails = [{ email: 'octocat@example.com', primary: true, verified: true }]
  github.person = { ...github.person, emails, id: next(), login: unique('zoe') }
})

describe.each(['google', 'microsoft', 'github'])('a login through %s', (provider) => {
  test('creates a user without a password and begins their session, and finds the same user the next time', async () => {
    const first = await social.logIn(provider)
    const user = userOf(first)
    expect(first).toMatchObject({ outcome: 'right', created: true, returnTo: '/account' })
    expect(user).toEqual({ id: expect.any(String), username: expect.stringMatching(/^zoe/), adminRole: null })
    const [row] = await social.query('select password_hash from identity.users where id = $1', [user.id])
    expect(row).toEqual({ password_hash: null })
    const session = first.outcome === 'right' ? first.session : undefined
    expect(await getSession(session?.secret ?? '', social.replica().sessions)).toMatchObject({
      user,
      ipAddress: '192.0.2.7',
      userAgent: 'A browser',
      expiresAt: session?.session.expiresAt,
    })
    expect(await social.logIn(provider)).toMatchObject({ created: false, session: { session: { user } } })
    expect(await accountsOf(user.id)).toHaveLength(1)
  })

  test('sends the browser to the provider with a state, a nonce for OpenID Connect and an S256 code challenge', async () => {
    const { address } = await social.begin(provider)
    const parameters = new URL(address).searchParams
    expect(Object.fromEntries(parameters)).toMatchObject({
      response_type: 'code',
      client_id: 'gatehouse',
      redirect_uri: `https://auth.example/auth/callback/${provider}`,
      state: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
      ...(provider !== 'github' && { nonce: expect.stringMatching(/^[\w-]{43}$/) }),
    })
  })

  test('asks an OpenID provider to authenticate the person again, but only when it is wanted', async () => {
    const promptOf = async (again: boolean) => {
      const { address } = await social.begin(provider, social.deps(), { again })
      return new URL(address).searchParams.get('prompt')
    }
    expect([await promptOf(false), await promptOf(true)]).toEqual([
      null,
      provider === 'github' ? null : 'login',
    ])
  })

  test('is refused while the user is disabled, and succeeds when they are enabled again', async () => {
    const { id } = userOf(await social.logIn(provider))
    await social.query('update identity.users set disabled_at = now() where id = $1', [id])
    expect(await social.logIn(provider)).toEqual({ outcome: 'disabled', returnTo: '/account' })
    await social.query('update identity.users set disabled_at = null where id = $1', [id])
    expect(userOf(await social.logIn(provider)).id).toBe(id)
  })

  test('creates a new user when the person’s user was deleted', async () => {
    const { id } = userOf(await social.logIn(provider))
    await social.query('delete from identity.users where id = $1', [id])
    expect(await social.logIn(provider)).toMatchObject({ outcome: 'right', created: true })
  })

  test('creates one user when a person’s first logins happen at the same time', async () => {
    const of = social.deps()
    const begun = await Promise.all(Array.from({ length: 6 }, () => social.begin(provider, of)))
    const queries = await Promise.all(begun.map((one) => social.comeBack(one)))
    const outcomes = await Promise.all(
      begun.map((one, index) => social.finish(one, queries[index] ?? '', of)),
    )
    expect(new Set(outcomes.map((one) => userOf(one).id)).size).toBe(1)
    expect(outcomes.filter((one) => one.outcome === 'right' && one.created)).toHaveLength(1)
  })

  test('ends the browser’s previous session, even another user’s', async () => {
    const { username } = await social.addUser()
    const { secret } = await social.browserOf(username)
    const begun = await social.begin(provider)
    await social.finish(begun, await social.comeBack(begun), social.deps(), { previousSecret: secret })
    expect(await getSession(secret, social.replica().sessions)).toBeUndefined()
  })
})

test('recognizes a person by the provider’s fixed identifier when their name and e-mail address change', async () => {
  const { google, microsoft, github } = social.standIns()
  const before = await Promise.all(['google', 'microsoft', 'github'].map((one) => social.logIn(one)))
  Object.assign(google.person, { name: 'Somebody Else', email: 'else@example.com' })
  // Microsoft's `sub` differs for each client.
  microsoft.person = { ...microsoft.person, name: 'Somebody Else', sub: unique('pairwise') }
  Object.assign(github.person, { login: 'somebody-else' })
  const after = await Promise.all(['google', 'microsoft', 'github'].map((one) => social.logIn(one)))
  expect(after.map(userOf)).toEqual(before.map(userOf))
  const names = await Promise.all(after.map((one) => accountsOf(userOf(one).id)))
  expect(names.map(([account]) => account?.display_name)).toEqual([
    'Somebody Else (else@example.com)',
    'Somebody Else',
    'somebody-else (octocat@example.com)',
  ])
})

test('gives people with the same name and e-mail address, and one person at two providers, different users', async () => {
  const { google } = social.standIns()
  const first = userOf(await social.logIn('google'))
  google.person = { ...google.person, sub: unique('google') }
  const second = userOf(await social.logIn('google'))
  const third = userOf(await social.logIn('github'))
  expect(new Set([first.id, second.id, third.id]).size).toBe(3)
  expect(second.username).toBe(`${first.username}-2`)
})

test('treats the same person in another tenant as a different user', async () => {
  const { microsoft } = social.standIns()
  const first = userOf(await social.logIn('microsoft'))
  const [account] = await accountsOf(first.id)
  expect(account?.subject).toBe(`${tenant}/${microsoft.person.oid}`)
  const tid = tenant.replaceAll('1', '9')
  const second = userOf(await social.logInFrom(tid))
  expect(second.id).not.toBe(first.id)
  expect(await accountsOf(second.id)).toMatchObject([{ subject: `${tid}/${microsoft.person.oid}` }])
})

describe('what a provider says about the person', () => {
  const attributesNow = async (id: string) => {
    const [row] = await social.query('select attributes from identity.users where id = $1', [id])
    return row?.attributes
  }
  const picture = 'https://pictures.example/zoe.png'
  const change = (id: string, attributes: object) =>
    updateUser({ userId: id, attributes: { ...attributes } }, actor, social.replica().admin.changes)

  test('becomes the user’s attributes at the first login', async () => {
    const { google, microsoft, github } = social.standIns()
    const email = { email: 'zoe@example.com', email_verified: true }
    Object.assign(google.person, { given_name: 'Zoë', locale: 'de', picture: 'http://insecure.example/' })
    expect(await attributesNow(userOf(await social.logIn('google')).id)).toEqual({
      ...{ name: google.person.name, given_name: 'Zoë', locale: 'de', ...email },
    })
    Object.assign(microsoft.person, { email: 'zoe@example.com', family_name: 'Müller', xms_edov: true })
    expect(await attributesNow(userOf(await social.logIn('microsoft')).id)).toEqual({
      ...{ name: microsoft.person.name, family_name: 'Müller', ...email },
    })
    Object.assign(github.person, { avatar_url: picture })
    expect(await attributesNow(userOf(await social.logIn('github')).id)).toEqual({
      ...{ picture, email: 'octocat@example.com', email_verified: true },
    })
  })

  test('does not become an e-mail address that the provider has not verified', async () => {
    const { google, microsoft, github } = social.standIns()
    Object.assign(google.person, { email_verified: false })
    Object.assign(microsoft.person, { email: 'admin@victim.example', xms_edov: false })
    github.person.emails = [
      { email: 'a@example.com', primary: true, verified: false },
      { email: 'b@example.com', primary: false, verified: true },
    ]
    for (const provider of ['google', 'microsoft', 'github'])
      expect(await attributesNow(userOf(await social.logIn(provider)).id)).not.toHaveProperty('email')
    Object.assign(microsoft.person, { oid: unique('oid'), xms_edov: undefined })
    expect(await attributesNow(userOf(await social.logIn('microsoft')).id)).not.toHaveProperty('email')
  })

  test('fills what is still empty at later logins, and never what somebody has set or removed', async () => {
    const { google } = social.standIns()
    const name = google.person.name
    const { email: _, ...withoutEmail } = google.person
    google.person = withoutEmail
    const { id } = userOf(await social.logIn('google'))
    await change(id, { name: 'Z.', given_name: 'Zoë' })
    await change(id, { given_name: null })
    const email = 'zoe@example.com'
    Object.assign(google.person, { email, given_name: 'Zoe', picture })
    await social.logIn('google')
    const filled = { name: 'Z.', given_name: null, email, email_verified: true, picture }
    expect(await attributesNow(id)).toEqual(filled)
    const { ctid } = (await social.query('select ctid from identity.users where id = $1', [id]))[0] ?? {}
    Object.assign(google.person, { name: `${name} II`, email: 'other@example.com' })
    await social.logIn('google')
    expect(await social.query('select ctid from identity.users where id = $1', [id])).toEqual([{ ctid }])
    await change(id, { email: null })
    await social.logIn('google')
    expect(await attributesNow(id)).toEqual({ ...filled, email: null, email_verified: null })
  })
})

describe('an existing user', () => {
  test.each(['zoe@example.com', 'Zoe@Example.com'])(
    'whose name %s is the new person’s e-mail address is not taken over',
    async (username) => {
      await social.query('delete from identity.users where lower(username) = lower($1)', [username])
      const local = await social.addUser({ username, adminRole: 'owner' })
      for (const provider of ['google', 'github', 'microsoft']) {
        const { google, microsoft, github } = social.standIns()
        Object.assign(google.person, { email: username, email_verified: true, name: username })
        Object.assign(microsoft.person, { email: username, preferred_username: username, name: username })
        Object.assign(github.person, { login: username })
        const user = userOf(await social.logIn(provider))
        expect(user).not.toMatchObject({ id: local.id })
        expect(user.username).toMatch(/^zoe\.example\.com(-[\da-f]{1,8})?$/)
        expect(user.adminRole).toBeNull()
      }
      const attempt = { ...attemptOf(username, 'right password'), userAgent: '', previousSecret: undefined }
      expect(await logInByPassword(attempt, social.replica().login)).toMatchObject({ outcome: 'right' })
    },
  )

  test('whose name the new person would get is not taken over: the new name gets a number', async () => {
    const { github } = social.standIns()
    const local = await social.addUser({ username: github.person.login.toUpperCase() })
    const user = userOf(await social.logIn('github'))
    expect([user.id === local.id, user.username]).toEqual([false, `${github.person.login}-2`])
  })
})

test('a user without a password cannot set one, and the try does not count as a failure', async () => {
  const outcome = await social.logIn('github')
  const sessionSecret = outcome.outcome === 'right' ? outcome.session.secret : ''
  const change = {
    sessionSecret,
    currentPassword: '',
    newPassword: 'a new password',
    ipAddress: '192.0.2.9',
    keepAccess: false,
  }
  const { passwordChange, counts } = social.replica()
  const before = counts.failed
  expect(await changePassword(change, passwordChange)).toMatchObject({
    outcome: 'unacceptable',
    reason: expect.stringContaining('You have no password here'),
  })
  expect(counts.failed).toBe(before)
})

test('a user without a password cannot log in with any password, not even an empty one', async () => {
  const { username } = userOf(await social.logIn('github'))
  for (const password of ['', 'null', 'undefined']) {
    const attempt = { ...attemptOf(username, password), userAgent: '', previousSecret: undefined }
    expect(await logInByPassword(attempt, social.replica().login)).toEqual({ outcome: 'wrong' })
  }
})
