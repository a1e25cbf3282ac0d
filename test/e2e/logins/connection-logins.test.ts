import { browse, type CookieJar, logIn, submit } from '@gatehouse/test/browser/browser-login'
import { claimsOf } from '@gatehouse/test/jwt'
import { credentialsOf } from '@gatehouse/test/oauth'
import { type OpenIdStandIn, startOpenIdStandIn } from '@gatehouse/test/servers/social-openid'
import { answerAt, standInClient } from '@gatehouse/test/servers/social-stand-in'
import { type RegisteredClient, startTestSystem, type TestSystem } from '@gatehouse/test/system'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isConsent, Visit } from '../grants/organization-visits.ts'
import { asAdministrator } from '../openid/openid-world.ts'
import {
  actor,
  addPerson,
  identityOf,
  isActive,
  password,
  redeem,
  redirectUri,
  type TokenAnswer,
  tokensOf,
} from './login-people.ts'

type Connection = { connection_id: string; redirect_uri: string }

let system: TestSystem
let root: CookieJar
let google: OpenIdStandIn
let idp: OpenIdStandIn
let acme: { organization_id: string; slug: string }
let ofInstance: Connection
let ofAcme: Connection

beforeAll(async () => {
  google = await startOpenIdStandIn('google')
  idp = await startOpenIdStandIn('google')
  system = await startTestSystem({
    OAUTH2_PROFILE: 'openid',
    OAUTH2_FACTOR_KEY: 'the factor key of the tests, 32 characters',
    OAUTH2_FETCH_ALLOWED_NETWORKS: '127.0.0.0/8',
  })
  const identity = identityOf(system)
  const administrator = { username: 'root', password, admin: true, attributes: undefined, actor }
  await identity.createUser(administrator).finally(() => identity.close())
  root = await logIn(system, 'root', password)
  acme = await admin('POST', 'organizations', { slug: 'acme', name: 'The acme' })
  // Its metadata are read when the connection is created, and its client has the address that follows from the connection's id.
  for (const one of [google, idp]) one.register('https://nobody.example/cb')
  ofInstance = await addConnection(google, { name: 'Instance', new_users: 'always' })
  ofAcme = await addConnection(idp, { name: 'Acme login', organization: acme.organization_id })
})
afterAll(async () => {
  await system?.stop()
  await Promise.all([google, idp].map((server) => server?.close()))
})

async function admin<Body>(method: string, path: string, body?: object): Promise<Body> {
  const response = await asAdministrator(system, root, method, `/admin/api/${path}`, body)
  const text = await response.text()
  expect([response.status < 300, text]).toEqual([true, text])
  return (text === '' ? {} : JSON.parse(text)) as Body
}

async function addConnection(standIn: OpenIdStandIn, settings: object): Promise<Connection> {
  const { clientId: client_id, clientSecret: client_secret } = standInClient
  const provider = { kind: 'oidc', issuer: standIn.issuer, client_id, client_secret }
  const connection = await admin<Connection>('POST', 'connections', { ...provider, ...settings })
  standIn.register(connection.redirect_uri)
  return connection
}

/** The answer to a browser that comes back from a provider. */
async function backFrom(standIn: OpenIdStandIn, jar: CookieJar, begun: Response): Promise<Response> {
  return browse(system, jar, await answerAt(standIn, begun.headers.get('location') ?? ''))
}

async function logInThrough(standIn: OpenIdStandIn, { connection_id: id }: Connection, returnTo = '') {
  const jar: CookieJar = new Map()
  const query = returnTo && `?return_to=${encodeURIComponent(returnTo)}`
  const response = await backFrom(standIn, jar, await browse(system, jar, `/auth/login/${id}${query}`))
  return { jar, response, location: response.headers.get('location') }
}

const addClient = (metadata: object = {}) =>
  admin<RegisteredClient>('POST', 'clients', {
    ...{ client_name: 'Notes', redirect_uris: [redirectUri], organizations: 'optional' },
    ...{ scope: 'openid organization read', grant_types: ['authorization_code', 'refresh_token'] },
    ...metadata,
  })

async function redeemed(client: RegisteredClient, visit: Visit, to: URLSearchParams): Promise<TokenAnswer> {
  expect(to.get('error')).toBeNull()
  const code = { code: to.get('code') ?? '', code_verifier: visit.verifier, redirect_uri: redirectUri }
  return tokensOf(await redeem(system, credentialsOf(client), code))
}

async function opened(jar: CookieJar, path: string) {
  const response = await browse(system, jar, path)
  return { status: response.status, location: response.headers.get('location'), text: await response.text() }
}

/** A member of the organization, whose account is connected to the one of that person at its provider. */
async function connectedMember(sub: string) {
  const person = await addPerson(system)
  await admin('PATCH', `organizations/${acme.organization_id}/members`, {
    set: [{ user_id: person.userId, role: 'member' }],
  })
  idp.person = { sub, name: 'Ann Example' }
  const page = `/account/connections/${ofAcme.connection_id}`
  expect((await opened(person.jar, page)).text).toContain('Connect <bdi>Acme login</bdi> to your account?')
  const done = await backFrom(idp, person.jar, await submit(system, person.jar, page, {}))
  expect(done.headers.get('location')).toBe('/account/connections?done=connected')
  return person
}

const home = () => `/account/organizations/${acme.organization_id}`

test('a connection of the instance creates users, whose account page shows it', async () => {
  google.person = { sub: 'new-person', name: 'Cleo Example' }
  const { jar, response, location } = await logInThrough(google, ofInstance)
  expect([response.status, location]).toEqual([302, '/account'])
  const { text } = await opened(jar, '/account/connections')
  expect(text).toContain('<strong><bdi>Instance</bdi></strong>')
  expect(text).toContain('Cleo Example')
})

test('somebody unknown gets no account by a connection of an organization', async () => {
  idp.person = { sub: 'nobody', name: 'Nobody' }
  const { jar, response } = await logInThrough(idp, ofAcme)
  expect(response.status).toBe(403)
  expect(await response.text()).toContain('You have no account here')
  expect((await opened(jar, '/account')).location).toMatch(/^\/auth\/login/)
})

test('a login by a connection of an organization counts in that alone', async () => {
  await connectedMember('ann')
  const { jar, location } = await logInThrough(idp, ofAcme)
  expect(location).toBe(home())
  expect((await opened(jar, home())).text).toContain('You are here as: Member')
  for (const page of ['/account', '/account/organizations', '/account/connections', '/account/details'])
    expect((await opened(jar, page)).location).toMatch(/^\/auth\/login\?/)
  expect((await opened(jar, '/auth/login?return_to=%2Faccount')).text).toContain('log in another way')

  const client = await addClient()
  const inAcme = new Visit(system, { jar }, client, { organization: 'acme' })
  const asked = await inAcme.begin()
  const { to } = isConsent(asked.page) ? await inAcme.allow(asked.page) : asked
  const tokens = await redeemed(client, inAcme, to)
  expect(claimsOf(tokens.access_token)).toMatchObject({ org_id: acme.organization_id })

  const inNone = await new Visit(system, { jar }, await addClient({ organizations: 'off' }), {
    scope: 'openid read',
  }).begin()
  expect(inNone.page).toContain('This app needs a login of your own account.')
  const silent = { scope: 'openid read', prompt: 'none' }
  const refused = await new Visit(system, { jar }, await addClient({ organizations: 'off' }), silent).begin()
  expect(refused.to.get('error')).toBe('login_required')
})

test('the login page of an app for an organization leads through its connection, also with prompt=login', async () => {
  await connectedMember('ben')
  for (const demand of [{}, { prompt: 'login' }, { max_age: '60' }]) {
    const jar: CookieJar = new Map()
    const client = await addClient()
    const visit = new Visit(system, { jar }, client, { organization: 'acme', ...demand })
    const { page } = await visit.begin()
    const button = new RegExp(`href="(/auth/login/${ofAcme.connection_id}[^"]*)"`).exec(page)?.[1] ?? ''
    const begun = await browse(system, jar, button.replaceAll('&amp;', '&'))
    // They are pushed there (RFC 9126), so that the browser does not carry them.
    const sent = idp.requests.findLast(({ line }) => line === 'POST /request')?.parameters
    expect(sent?.get('prompt')).toBe('prompt' in demand ? 'login' : null)
    if ('max_age' in demand) expect(sent?.get('max_age')).toBe('60')
    const back = await backFrom(idp, jar, begun)
    const place = await visit.open(back.headers.get('location') ?? '')
    const { to } = isConsent(place.page) ? await visit.allow(place.page) : place
    expect(to.get('code')).toMatch(/./)
  }
})

test('removing the connected account ends the logins by it and what was granted after them', async () => {
  const person = await connectedMember('cleo')
  const { jar } = await logInThrough(idp, ofAcme)
  const client = await addClient()
  const visit = new Visit(system, { jar }, client, { organization: 'acme' })
  const { page, to } = await visit.begin()
  const tokens = await redeemed(client, visit, isConsent(page) ? (await visit.allow(page)).to : to)
  expect(await isActive(system, tokens.access_token)).toBe(true)

  const { text } = await opened(person.jar, '/account/connections')
  const removal = /href="(\/account\/connections\/con_[^"]+\/links\/[^"]+)"/.exec(text)?.[1] ?? ''
  const removed = await submit(system, person.jar, removal, {})
  expect(removed.headers.get('location')).toBe('/account/connections?done=removed')
  expect((await opened(jar, home())).location).toMatch(/^\/auth\/login\?/)
  await expect.poll(() => isActive(system, tokens.access_token), { timeout: 10_000 }).toBe(false)
  expect((await opened(person.jar, home())).status).toBe(200)
})

test('a test shows what came, and logs nobody in', async () => {
  idp.person = { sub: 'somebody', name: 'Somebody Else' }
  const path = `/auth/login/${ofAcme.connection_id}?test=yes&return_to=%2Fadmin`
  expect((await opened(new Map(), path)).location).toMatch(/^\/auth\/login\?return_to=/)
  const shown = await backFrom(idp, root, await browse(system, root, path))
  const text = await shown.text()
  expect([shown.status, text.includes('Somebody Else')]).toEqual([200, true])
  expect((await opened(root, '/account')).status).toBe(200)
})

test('a made up logout token is refused', async () => {
  const path = `/auth/connections/${ofAcme.connection_id}/backchannel-logout`
  const answer = await system.form(path, { logout_token: 'a.b.c' })
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([400, 'no-store'])
})
