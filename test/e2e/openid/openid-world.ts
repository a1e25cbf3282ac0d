import { randomUUID } from 'node:crypto'
import { browse, type CookieJar, hiddenFields, logIn, submit } from '@gatehouse/test/browser/browser-login'
import { type RegisteredClient, sharedAdmin, sharedTestSystem, type TestSystem } from '@gatehouse/test/system'
import * as client from 'openid-client'

/** Where the test's client gets its answers. */
export const callback = 'https://rp.example/callback'

/** An OpenID provider whose administrator is logged in. */
export type Provider = {
  system: TestSystem
  /** The administrator's browser. */
  root: CookieJar
  /** Creates a client as the administrator. */
  createClient(metadata?: Record<string, unknown>): Promise<RegisteredClient>
  /** The configuration of openid-client for a client, with its defaults. */
  configure(created: RegisteredClient): Promise<client.Configuration>
}

/** A system with the profile openid, which may send requests to this machine, and whose endpoints pages of any origin may call. */
export async function startProvider(variables: Record<string, string> = {}): Promise<Provider> {
  const system = await sharedTestSystem({
    OAUTH2_PROFILE: 'openid',
    OAUTH2_FETCH_ALLOWED_NETWORKS: '127.0.0.0/8',
    // The port of the tests' single-page app, on another origin, is not known before the shared system starts.
    OAUTH2_CORS_ORIGINS: '*',
    ...variables,
  })
  const root = await logIn(system, sharedAdmin.username, sharedAdmin.password)
  return {
    system,
    root,
    createClient: (metadata) => createClient(system, root, metadata),
    configure: ({ client_id, client_secret }) =>
      client.discovery(new URL(system.baseUrl), client_id, client_secret, undefined, {
        execute: [client.allowInsecureRequests],
      }),
  }
}

/** Creates a client as an administrator: by default for logins, with all scopes of OpenID Connect. */
export async function createClient(
  system: TestSystem,
  administrator: CookieJar,
  metadata: Record<string, unknown> = {},
): Promise<RegisteredClient> {
  const answer = await asAdministrator(system, administrator, 'POST', '/admin/api/clients', {
    client_name: 'Relying party',
    redirect_uris: [callback],
    grant_types: ['authorization_code', 'refresh_token'],
    scope: 'openid profile email offline_access read',
    ...metadata,
  })
  if (answer.status !== 201)
    throw new Error(`the client was answered ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as RegisteredClient
}

/** A user with a name and an e-mail address, and the cookies of their browser, which is logged in at the provider. */
export type Person = { name: string; email: string; jar: CookieJar }

/** Creates a user as the administrator, and logs them in. */
export async function createPerson({ system, root }: Provider): Promise<Person> {
  const username = `ada-${randomUUID()}`
  const password = 'a long pass phrase for ada'
  const attributes = { name: 'Ada Lovelace', email: `${username}@example.com` }
  const user = { username, password, ...attributes, email_verified: true }
  const answer = await asAdministrator(system, root, 'POST', '/admin/api/users', user)
  if (answer.status !== 201) throw new Error(`the user was answered ${answer.status} ${await answer.text()}`)
  return { ...attributes, jar: await logIn(system, username, password) }
}

/** Sends a request to the administrators' API from a browser. */
export function asAdministrator(
  system: TestSystem,
  jar: CookieJar,
  method: string,
  path: string,
  body?: object,
): Promise<Response> {
  const { origin } = new URL(system.baseUrl)
  const headers = { origin, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' }
  return browse(system, jar, path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
}

/** Where a browser is after an authorization request: at a page of the provider, or back at the client. */
export type Arrival = { page: string; at: URL }

/**
 * Follows an authorization request through the provider's pages: logs in and agrees where it is asked to.
 * @param logsIn whether they log in where they are asked to, instead of staying at the login page
 */
export async function follow(
  system: TestSystem,
  jar: CookieJar,
  address: URL | string,
  logsIn = true,
): Promise<Arrival> {
  let at = new URL(address, system.baseUrl)
  let response = await browse(system, jar, at)
  for (let steps = 0; steps < 8; steps += 1) {
    const location = response.headers.get('location')
    if (location) {
      at = new URL(location, at)
      if (at.origin !== system.baseUrl) return { page: '', at }
      response = await browse(system, jar, at)
      continue
    }
    const page = await response.text()
    const fields = hiddenFields(page)
    if (page.includes('action="/oauth/consent"'))
      response = await submit(system, jar, '/oauth/consent', { ...fields, decision: 'allow' })
    else if (page.includes('action="/auth/login"') && logsIn)
      response = await submit(system, jar, '/auth/login', {
        ...fields,
        ...sharedAdmin,
      })
    else return { page, at }
  }
  throw new Error('the pages do not end')
}

/** An authorization request of openid-client, and what it checks of the answer. */
export async function requestOf(config: client.Configuration, parameters: Record<string, string> = {}) {
  const pkceCodeVerifier = client.randomPKCECodeVerifier()
  const expectedState = client.randomState()
  const expectedNonce = client.randomNonce()
  const address = client.buildAuthorizationUrl(config, {
    redirect_uri: callback,
    scope: 'openid profile email',
    state: expectedState,
    nonce: expectedNonce,
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    ...parameters,
  })
  return { address, checks: { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true } }
}
