import { createHmac } from 'node:crypto'
import { browse, type CookieJar, hiddenFields, logIn, submit } from '@gatehouse/test/browser/browser-login'
import { untilReady } from '@gatehouse/test/oauth'
import {
  type RegisteredClient,
  sharedSecrets,
  sharedTestSystem,
  type TestSystem,
} from '@gatehouse/test/system'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  addPerson,
  authorizationRequest,
  digestOf,
  type Person,
  password,
  pkce,
  query,
  redirectUri,
  registerApp,
} from './login-people.ts'

const { sessionKey } = sharedSecrets
const cookie = 'gatehouse_session'

let system: TestSystem
let client: RegisteredClient
let person: Person
beforeAll(async () => {
  system = await sharedTestSystem()
  await untilReady(system)
  client = await registerApp(system)
  person = await addPerson(system)
})

const sign = (value: string, key: string) =>
  encodeURIComponent(
    `${value}.${createHmac('sha256', key).update(value).digest('base64').replace(/=+$/, '')}`,
  )
const secretIn = (jar: CookieJar) => decodeURIComponent(jar.get(cookie) ?? '').split('.')[0] ?? ''
const jarWith = (value: string): CookieJar => new Map([[cookie, value]])
/** The address to which the account page redirects; undefined when it shows the account. */
const sentTo = async (jar: CookieJar) => {
  const response = await browse(system, jar, '/account')
  await response.text()
  return response.headers.get('location') ?? undefined
}
const login = '/auth/login?return_to=%2Faccount'
const addressOf = (client: { client_id: string }) =>
  `/oauth/authorize?${new URLSearchParams(authorizationRequest(client, pkce().challenge))}`
const openConsent = async (jar: CookieJar) =>
  hiddenFields(await (await browse(system, jar, addressOf(await registerApp(system)))).text())

describe('the session cookie', () => {
  test('is HttpOnly, SameSite=Lax and lasts twelve hours', async () => {
    const response = await submit(system, new Map(), '/auth/login', { username: person.username, password })
    const set = response.headers.getSetCookie().find((one) => one.startsWith(`${cookie}=`)) ?? ''
    const attributes = set.split('; ').slice(1)
    expect(attributes).toEqual(expect.arrayContaining(['Path=/', 'HttpOnly', 'SameSite=Lax']))
    const expires = Date.parse(attributes.find((one) => one.startsWith('Expires='))?.slice(8) ?? '')
    expect(Math.abs(expires - Date.now() - 43_200_000)).toBeLessThan(60_000)
    expect(response.headers.get('cache-control')).toBe('no-store')
  })

  test('authenticates the user, and only a digest of its secret is stored', async () => {
    expect(await sentTo(person.jar)).toBeUndefined()
    const secret = secretIn(person.jar)
    expect(secret).toMatch(/^[\w-]{43}$/)
    // Shows how a valid cookie is signed, so that each forgery below differs only in what its name says.
    expect(await sentTo(jarWith(sign(secret, sessionKey)))).toBeUndefined()
    const [row] = await query(
      system,
      'select s::text as row from identity.sessions s where secret_digest = $1',
      [digestOf(secret)],
    )
    expect(row?.row).not.toContain(secret.slice(0, 12))
  })

  test.each<[string, (secret: string) => string]>([
    ['signed with another key', (secret) => sign(secret, 'another key of more than 32 bytes, for tests')],
    ['signed with no key', (secret) => sign(secret, '')],
    ['unsigned', (secret) => secret],
    ['with an empty signature', (secret) => `${secret}.`],
    [
      'with another secret below the signature',
      (secret) => sign(secret, sessionKey).replace(/^./, (first) => (first === 'a' ? 'b' : 'a')),
    ],
    [
      'with the signature changed',
      (secret) => sign(secret, sessionKey).replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
    ],
    ['with the secret cut', (secret) => sign(secret.slice(0, 42), sessionKey)],
    ['of an unknown secret, validly signed', () => sign('a'.repeat(43), sessionKey)],
    ['of an SQL expression, validly signed', () => sign("' or true --", sessionKey)],
    [
      'of the stored digest, validly signed',
      (secret) => sign(digestOf(secret).toString('base64url'), sessionKey),
    ],
    ['that is empty', () => ''],
    ['with invalid percent-encoding', () => '%'],
    ['of 8,000 characters', () => 'a'.repeat(8_000)],
  ])('%s is refused', async (_, forge) => {
    expect(await sentTo(jarWith(forge(secretIn(person.jar))))).toBe(login)
  })

  test('of known browsers is not accepted as a session cookie', async () => {
    const jar = await logIn(system, person.username, password)
    expect(await sentTo(jarWith(jar.get('gatehouse_known') ?? ''))).toBe(login)
  })
})

describe('a login', () => {
  test('begins a new session and ends a planted one', async () => {
    const planted = await logIn(system, (await addPerson(system, 'attacker')).username, password)
    const browser: CookieJar = new Map(planted)
    await submit(system, browser, '/auth/login', { username: person.username, password })
    expect(browser.get(cookie)).not.toBe(planted.get(cookie))
    expect(await sentTo(browser)).toBeUndefined()
    expect(await sentTo(planted)).toBe(login)
  })

  test('never adopts a secret that the browser sent, even if it is validly signed', async () => {
    const brought = sign('b'.repeat(43), sessionKey)
    const browser = jarWith(brought)
    await submit(system, browser, '/auth/login', { username: person.username, password })
    expect(browser.get(cookie)).not.toBe(brought)
    expect(await sentTo(jarWith(brought))).toBe(login)
  })

  test('ends with the logout, and the old cookie stays invalid', async () => {
    const jar = await logIn(system, person.username, password)
    const kept: CookieJar = new Map(jar)
    const response = await submit(system, jar, '/auth/logout', {})
    expect([response.status, response.headers.get('location')]).toEqual([302, '/auth/login'])
    expect(jar.has(cookie)).toBe(false)
    expect(await sentTo(kept)).toBe(login)
    // A logout without a session gives the same answer.
    expect((await submit(system, new Map(), '/auth/logout', {})).status).toBe(302)
  })

  test('ends after twelve hours, by the clock of the database', async () => {
    const jar = await logIn(system, person.username, password)
    await query(system, 'update identity.sessions set expires_at = now() where secret_digest = $1', [
      digestOf(secretIn(jar)),
    ])
    expect(await sentTo(jar)).toBe(login)
    const response = await browse(system, jar, addressOf(client))
    expect(response.headers.get('location')).toMatch(/^\/auth\/login\?return_to=%2Foauth%2Fcontinue/)
  })

  test('in another browser ends when the password is changed, while the current session stays', async () => {
    const user = await addPerson(system)
    const elsewhere = await logIn(system, user.username, password)
    const fields = {
      current_password: password,
      new_password: 'another password',
      new_password_again: 'another password',
    }
    const response = await submit(system, user.jar, '/account/password', fields)
    expect(response.headers.get('location')).toBe('/account?done=password')
    expect([await sentTo(user.jar), await sentTo(elsewhere)]).toEqual([undefined, login])
    const old = await submit(system, new Map(), '/auth/login', { username: user.username, password })
    expect(old.status).toBe(401)
    await logIn(system, user.username, 'another password')
  })

  test('of another user cannot be ended by its session id', async () => {
    const other = await addPerson(system)
    const [session] = await query(system, 'select id from identity.sessions where secret_digest = $1', [
      digestOf(secretIn(other.jar)),
    ])
    await submit(system, person.jar, '/account/sessions/end', { session_id: session?.id })
    expect(await sentTo(other.jar)).toBeUndefined()
    await submit(system, other.jar, '/account/sessions/end', { session_id: session?.id })
    expect(await sentTo(other.jar)).toBe(login)
  })
})

test('opens the administration only to administrators', async () => {
  const without = await browse(system, new Map(), '/admin')
  expect([without.status, without.headers.get('location')]).toEqual([302, '/auth/login?return_to=%2Fadmin'])
  expect((await browse(system, person.jar, '/admin')).status).toBe(403)
  const admin = await addPerson(system, 'admin')
  await query(system, 'update identity.users set is_admin = true where id = $1', [admin.userId])
  expect((await browse(system, admin.jar, '/admin')).status).toBe(200)
  await query(system, 'update identity.users set is_admin = false where id = $1', [admin.userId])
  expect((await browse(system, admin.jar, '/admin')).status).toBe(403)
})

describe('a consent form', () => {
  const answer = (jar: CookieJar, fields: Record<string, string>) =>
    submit(system, jar, '/oauth/consent', { decision: 'allow', ...fields })

  test('is accepted once: only one of many at the same time gets a code', async () => {
    const fields = await openConsent(person.jar)
    const answers = await Promise.all(Array.from({ length: 10 }, () => answer(person.jar, fields)))
    expect(answers.map(({ status }) => status).sort()).toEqual([303, ...Array(9).fill(400)])
    const again = await answer(person.jar, fields)
    expect([again.status, again.headers.get('location')]).toEqual([400, null])
  })

  test('of another user is refused, and stays valid for them', async () => {
    const other = await addPerson(system)
    const fields = await openConsent(other.jar)
    const refused = await answer(person.jar, fields)
    expect([refused.status, refused.headers.get('location')]).toEqual([400, null])
    const taken = await answer(other.jar, fields)
    expect(taken.headers.get('location')).toMatch(new RegExp(`^${redirectUri}\\?code=`))
  })

  test('of another session of the same user is refused', async () => {
    const fields = await openConsent(person.jar)
    const elsewhere = await logIn(system, person.username, password)
    expect((await answer(elsewhere, fields)).status).toBe(400)
  })

  test('without a session is refused', async () => {
    const fields = await openConsent(person.jar)
    const response = await answer(new Map(), fields)
    expect([response.status, response.headers.get('location')]).toEqual([401, null])
  })

  test('that has expired is refused', async () => {
    const fields = await openConsent(person.jar)
    await query(system, 'update token.authorization_flows set expires_at = now()')
    expect((await answer(person.jar, fields)).status).toBe(400)
  })

  test.each([
    {},
    { question: '' },
    { question: 'a'.repeat(43) },
    { question: "' or true --" },
    { question: '\u{1F511}' },
  ])('with %j is refused as forged', async (fields) => {
    const response = await answer(person.jar, fields as Record<string, string>)
    expect([response.status, response.headers.get('location')]).toEqual([400, null])
  })

  test.each(['', 'yes', 'ALLOW', 'allow '])(
    'with the decision %j is refused, and the question stays open',
    async (decision) => {
      const fields = await openConsent(person.jar)
      expect((await answer(person.jar, { ...fields, decision })).status).toBe(400)
      expect((await answer(person.jar, fields)).status).toBe(303)
    },
  )

  test('cannot choose the client, the scope or the redirect URI with extra fields', async () => {
    const fields = await openConsent(person.jar)
    const response = await answer(person.jar, {
      ...fields,
      redirect_uri: 'https://evil.example/',
      client_id: client.client_id,
      scope: 'admin',
    })
    expect(response.headers.get('location')).toMatch(new RegExp(`^${redirectUri}\\?code=`))
  })
})
