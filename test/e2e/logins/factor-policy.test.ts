import { browse, type CookieJar, logIn, submit } from '@gatehouse/test/browser/browser-login'
import { enrolApp, proveFactor } from '@gatehouse/test/browser/second-factor'
import { untilReady } from '@gatehouse/test/oauth'
import { sharedAdmin, startTestSystem, type TestSystem } from '@gatehouse/test/system'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  addPerson,
  addUser,
  authorizationRequest,
  type Person,
  password,
  pkce,
  query,
  redirectUri,
  refresh,
  registerApp,
  tokensFor,
} from './login-people.ts'

const own = { OAUTH2_SEED_USERNAME: sharedAdmin.username, OAUTH2_SEED_PASSWORD: sharedAdmin.password }

const locationOf = async (system: TestSystem, jar: CookieJar, path: string) => {
  const response = await browse(system, jar, path)
  await response.text()
  return [response.status, response.headers.get('location')]
}

describe('OAUTH2_MFA=administrators', () => {
  let system: TestSystem
  beforeAll(async () => {
    system = await startTestSystem({
      ...own,
      OAUTH2_MFA: 'administrators',
      OAUTH2_REFRESH_TOKEN_ENABLED: 'true',
    })
    await untilReady(system)
  })
  afterAll(() => system?.stop())

  const api = (jar: CookieJar, headers = {}) =>
    browse(system, jar, '/admin/api/users', { headers: { accept: 'application/json', ...headers } })

  test('leads an administrator through the enrolment before their session begins', async () => {
    const jar: CookieJar = new Map()
    const answer = await submit(system, jar, '/auth/login', sharedAdmin)
    expect(answer.headers.get('location')).toBe('/auth/second-factor')
    const page = await (await browse(system, jar, '/auth/second-factor?return_to=/admin')).text()
    expect(page).toContain('Add a second factor')
    expect(page).toContain('/auth/second-factor/passkey?return_to=%2Fadmin')
    expect((await api(jar)).status).toBe(401)
    const app = await enrolApp(system, jar, 'login')
    expect((await api(jar)).status).toBe(200)
    expect((await locationOf(system, jar, '/admin'))[0]).toBe(200)
    const again: CookieJar = new Map()
    await submit(system, again, '/auth/login', sharedAdmin)
    expect((await api(again)).status).toBe(401)
    expect((await proveFactor(system, again, { code: await app.nextCode() })).status).toBe(303)
    expect((await api(again)).status).toBe(200)
  })

  test('does not ask others', async () => {
    const { jar } = await addPerson(system)
    expect((await locationOf(system, jar, '/account'))[0]).toBe(200)
  })

  test('holds for the tokens of apps that a user had before they became an administrator', async () => {
    const { userId: rootId, jar: root } = await addPerson(system)
    await query(system, 'update identity.users set is_admin = true where id = $1', [rootId])
    await enrolApp(system, root)
    const { origin } = new URL(system.baseUrl)
    const headers = { origin, accept: 'application/json', 'content-type': 'application/json' }
    const change = async (method: string, path: string, body: object) => {
      const init = { method, headers, body: JSON.stringify(body) }
      return (await browse(system, root, path, init)).json()
    }
    const client = await change('POST', '/admin/api/clients', {
      client_name: 'Tool',
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      scope: 'read admin',
    })
    const person = await addPerson(system)
    const tokens = await tokensFor(system, person, client)
    const status = async (token: string) =>
      (await api(new Map(), { authorization: `Bearer ${token}` })).status
    expect(await status(tokens.access_token)).toBe(403)
    await change('PATCH', `/admin/api/users/${person.userId}`, { admin: true })
    expect(await status(tokens.access_token)).toBe(401)
    expect((await refresh(system, client, tokens.refresh_token)).status).toBe(400)
  })

  test('holds at once for a session that began before its user became an administrator', async () => {
    const person = await addPerson(system)
    await query(system, 'update identity.users set is_admin = true where id = $1', [person.userId])
    const { jar } = person
    const ask = '/auth/second-factor?of=session&return_to='
    expect(await locationOf(system, jar, '/admin/users?sort=name')).toEqual([
      302,
      `${ask}%2Fadmin%2Fusers%3Fsort%3Dname`,
    ])
    const refused = await api(jar)
    expect([refused.status, (await refused.json()).error]).toEqual([401, 'login_required'])
    // Nor does the session give an app an administrator's token.
    const client = await registerApp(system, { scope: 'read' })
    const request = new URLSearchParams(authorizationRequest(client, pkce().challenge))
    expect((await locationOf(system, jar, `/oauth/authorize?${request}`))[1]).toMatch(
      /^\/auth\/second-factor\?of=session&return_to=%2Foauth%2Fcontinue%3Fflow%3D/,
    )
    expect((await locationOf(system, jar, '/account'))[0]).toBe(200)
    await enrolApp(system, jar)
    expect((await api(jar)).status).toBe(200)
  })
})

describe('OAUTH2_MFA=required', () => {
  let system: TestSystem
  beforeAll(async () => {
    system = await startTestSystem({
      ...own,
      OAUTH2_MFA: 'required',
      OAUTH2_PASSWORD_GRANT_ENABLED: 'true',
    })
    await untilReady(system)
  })
  afterAll(() => system?.stop())

  const newUser = async (username: string): Promise<Pick<Person, 'username' | 'userId'>> => ({
    username,
    userId: await addUser(system, username),
  })

  test('holds on every path: login page, password grant, login again', async () => {
    const { username } = await newUser('everybody')
    await expect(logIn(system, username, 'wrong')).rejects.toThrow('401')
    const jar: CookieJar = new Map()
    await submit(system, jar, '/auth/login', { username, password })
    expect([...jar.keys()].sort()).toEqual(['gatehouse_login', 'gatehouse_typed'])
    expect((await locationOf(system, jar, '/account'))[1]).toMatch(/^\/auth\/login/)
    const client = await registerApp(system)
    const { client_id, client_secret } = client
    const grant = { grant_type: 'password', username, password, client_id, client_secret }
    expect((await system.form('/oauth/token', grant)).status).toBe(400)

    const app = await enrolApp(system, jar, 'login')
    expect((await system.form('/oauth/token', grant)).status).toBe(400)
    const again = new Map(jar)
    const login = await submit(system, again, '/auth/login', { username, password })
    expect(login.headers.get('location')).toBe('/auth/second-factor')
    expect((await proveFactor(system, again, { code: await app.nextCode() })).status).toBe(303)
    const last = await submit(system, again, '/account/authenticator-app', {})
    expect(last.status).toBe(403)
    expect(await last.text()).toContain('Add another one first.')
  })

  test('an administrator’s reset leads the user through the enrolment again', async () => {
    const { username, userId } = await newUser('somebody')
    const jar: CookieJar = new Map()
    await submit(system, jar, '/auth/login', { username, password })
    await enrolApp(system, jar, 'login')
    const root: CookieJar = new Map()
    await submit(system, root, '/auth/login', sharedAdmin)
    await enrolApp(system, root, 'login')
    const { origin } = new URL(system.baseUrl)
    const headers = { origin, 'sec-fetch-site': 'same-origin', accept: 'application/json' }
    const path = `/admin/api/users/${userId}/factors`
    const list = await (await browse(system, root, path, { headers })).json()
    expect(list).toEqual({
      items: [{ factor_id: 'totp', kind: 'totp', name: 'Authenticator app', created_at: expect.any(String) }],
      recovery_codes_left: 10,
    })
    expect((await browse(system, root, path, { method: 'DELETE', headers })).status).toBe(204)
    expect((await locationOf(system, jar, '/account'))[1]).toMatch(/^\/auth\/login/)
    const again: CookieJar = new Map()
    await submit(system, again, '/auth/login', { username, password })
    const page = await (await browse(system, again, '/auth/second-factor')).text()
    expect(page).toContain('Add a second factor')
    await enrolApp(system, again, 'login')
    expect((await locationOf(system, again, '/account'))[0]).toBe(200)
  })
})
