import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { browse, type CookieJar, logIn } from '@gatehouse/test/browser/browser-login'
import { claimsOf } from '@gatehouse/test/jwt'
import { credentialsOf } from '@gatehouse/test/oauth'
import { type RegisteredClient, startTestSystem, type TestSystem } from '@gatehouse/test/system'
import { expect } from 'vitest'
import { isConsent, type Place, Visit } from '../grants/organization-visits.ts'
import { redeem, redirectUri, tokensOf } from '../logins/login-people.ts'
import { asAdministrator } from '../openid/openid-world.ts'

/** A connection as the admin API answers it. */
export type Connection = { connection_id: string; redirect_uri: string; backchannel_logout_uri: string }

/** A system with an app, whose API has the role `reader`. */
export type UpstreamWorld = {
  system: TestSystem
  /** The administrator's browser. */
  root: CookieJar
  client: RegisteredClient
  /** Sends a request to the admin API, which must take it. */
  admin<Body>(method: string, path: string, body?: object): Promise<Body>
  /** Sends a request to the admin API, which may refuse it. */
  tried(method: string, path: string, body: object): Promise<{ status: number; text: string }>
  /** The lines of the log of the identity service that have a text. */
  logged(text: string): string[]
}

/** The tokens of a login, and what they say. */
export type AppLogin = { accessToken: string; claims: Record<string, unknown> }

/** The identifier of the API that has the role `reader`. */
export const api = 'https://notes.example'
/** The mapping of a connection whose people are readers when they are in the group `dev` there. */
export const readersByGroup = [{ claim: 'groups', value: 'dev', to: { resource: api, role: 'reader' } }]

/** Starts a system in which an app reads the role of people. */
export async function startUpstreamWorld(): Promise<UpstreamWorld> {
  const administrator = { username: 'root', password: 'a long enough password' }
  const system = await startTestSystem({
    OAUTH2_PROFILE: 'openid',
    OAUTH2_FACTOR_KEY: 'the factor key of the tests, 32 characters',
    OAUTH2_FETCH_ALLOWED_NETWORKS: '127.0.0.0/8',
    OAUTH2_SEED_USERNAME: administrator.username,
    OAUTH2_SEED_PASSWORD: administrator.password,
  })
  const root = await logIn(system, administrator.username, administrator.password)

  async function tried(method: string, path: string, body?: object) {
    const response = await asAdministrator(system, root, method, `/admin/api/${path}`, body)
    return { status: response.status, text: await response.text() }
  }

  async function admin<Body>(method: string, path: string, body?: object): Promise<Body> {
    const { status, text } = await tried(method, path, body)
    expect([status < 300, text]).toEqual([true, text])
    return (text === '' ? {} : JSON.parse(text)) as Body
  }

  await admin('POST', 'resources', {
    ...{ identifier: api, scopes: [{ scope: 'notes:read', description: 'Read your notes' }] },
    roles: [{ name: 'reader', scopes: ['notes:read'] }],
    token_claims: ['roles'],
  })
  const client = await admin<RegisteredClient>('POST', 'clients', {
    ...{
      client_name: 'Notes',
      redirect_uris: [redirectUri],
      scope: 'openid roles notes:read',
      roles_of: api,
    },
    grant_types: ['authorization_code', 'refresh_token'],
  })
  return {
    ...{ system, root, client, admin, tried },
    logged: (text) =>
      readFileSync(join(system.dataDirectory, 'logs', 'identity.log'), 'utf8')
        .split('\n')
        .filter((line) => line.includes(text)),
  }
}

/** Somebody in a browser, who logs in at a provider as it asks them to. */
export type Visitor = {
  /** Their cookies here. */
  jar: CookieJar
  /** Answers the pages of the provider. @returns the address at which the browser comes back */
  answer(address: string): Promise<URL>
}

/** Logs somebody in through a connection. @returns the answer to the browser that came back */
export async function logInThrough(
  { system }: UpstreamWorld,
  { jar, answer }: Visitor,
  address: string,
): Promise<Response> {
  const begun = await browse(system, jar, address)
  const location = begun.headers.get('location')
  if (location === null || location.startsWith('/')) return begun
  return browse(system, jar, await answer(location))
}

/** Logs somebody in to the app, where the login page leads them through a connection if it must. */
export async function logInToApp(
  world: UpstreamWorld,
  visitor: Visitor,
  { connection_id: id }: Connection,
  demand: Record<string, string> = {},
): Promise<AppLogin> {
  const { system, client } = world
  const request = { scope: 'openid roles notes:read', resource: api, ...demand }
  const visit = new Visit(system, visitor, client, request)
  const place = await throughLogin(world, visitor, visit, id)
  const { to } = isConsent(place.page) ? await visit.allow(place.page) : place
  const issued = to.get('code')
  if (issued === null) throw new Error(`the app got no code: ${to} ${place.page}`)
  const code = { code: issued, code_verifier: visit.verifier, redirect_uri: redirectUri }
  const tokens = await tokensOf(await redeem(system, credentialsOf(client), code))
  const { id_token: idToken } = tokens as typeof tokens & { id_token: string }
  return { accessToken: tokens.access_token, claims: claimsOf(idToken) }
}

async function throughLogin(
  world: UpstreamWorld,
  visitor: Visitor,
  visit: Visit,
  connectionId: string,
): Promise<Place> {
  const place = await visit.begin()
  const [, link] = new RegExp(`href="(/auth/login/${connectionId}[^"]*)"`).exec(place.page) ?? []
  if (link === undefined) return place
  const back = await logInThrough(world, visitor, link.replaceAll('&amp;', '&'))
  const location = back.headers.get('location')
  if (location === null) throw new Error(`the login was answered ${back.status} ${await back.text()}`)
  return visit.open(location)
}
