import {
  authorize,
  browse,
  type CookieJar,
  hiddenFields,
  type Site,
  submit,
} from '@gatehouse/test/browser/browser-login'
import { freePorts, prepareServer } from '@gatehouse/test/servers/server-process'
import type { RegisteredClient } from '@gatehouse/test/system'
import { expect } from 'vitest'
import { createPerson, type Provider } from '../../e2e/openid/openid-world.ts'

/** Creates the client that a tutorial creates for its app. */
export function createAppClient(
  { createClient }: Provider,
  baseUrl: string,
  metadata: Record<string, unknown> = {},
): Promise<RegisteredClient> {
  return createClient({
    client_name: 'My app',
    redirect_uris: [`${baseUrl}/callback`],
    grant_types: ['authorization_code'],
    post_logout_redirect_uris: [`${baseUrl}/`],
    scope: 'openid profile',
    ...metadata,
  })
}

/** The variables that a tutorial gives to its app. */
export function variablesOf(
  { system }: Provider,
  baseUrl: string,
  { client_id, client_secret }: RegisteredClient,
): Record<string, string> {
  return {
    ISSUER: system.baseUrl,
    CLIENT_ID: client_id,
    CLIENT_SECRET: client_secret,
    SESSION_SECRET: 'a secret of the app, of more than 32 bytes',
    HOME_PAGE: `${baseUrl}/`,
    PORT: new URL(baseUrl).port,
  }
}

/** How an app differs from most. */
type AppOptions = { callback?: string; metadata?: object; environment?: Record<string, string> }

/**
 * Starts the app of a tutorial, as the tutorial does.
 * @param program the program that runs it, and the arguments
 */
export async function startApp(
  provider: Provider,
  [path, ...argv]: readonly [string, ...string[]],
  { callback = '/callback', metadata = {}, environment: more = {} }: AppOptions = {},
): Promise<Site & AsyncDisposable> {
  const [port] = await freePorts(1)
  const baseUrl = `http://127.0.0.1:${port}`
  const redirectUris = [`${baseUrl}${callback}`]
  const client = await createAppClient(provider, baseUrl, { redirect_uris: redirectUris, ...metadata })
  const environment = { ...variablesOf(provider, baseUrl, client), ...more }
  const server = await prepareServer(async () => ({ path, argv, environment, probe: () => fetch(baseUrl) }))
  await server.start()
  return { baseUrl, [Symbol.asyncDispose]: server.close }
}

const target = ({ headers }: Response, { baseUrl }: Site) => new URL(headers.get('location') ?? '', baseUrl)

/** Chooses “Log in” on the page of an app, and returns the authorization request. */
export async function beginLogin(app: Site, jar: CookieJar): Promise<URL> {
  const page = await (await browse(app, jar, '/')).text()
  expect(page).toContain('Nobody is logged in.')
  const [, link = ''] = /<a href="([^"]+)">Log in</.exec(page) ?? []
  const request = target(await browse(app, jar, link), app)
  const sent = Object.fromEntries(request.searchParams)
  expect(sent).toMatchObject({ state: expect.stringMatching(/.{16}/), code_challenge_method: 'S256' })
  return request
}

/**
 * Logs a user in to the app of a tutorial and out again, by its links and buttons.
 * @param cookie the name of the app's cookie, whose value must be another one after a login
 */
export async function logInAndOut(provider: Provider, app: Site, cookie: string): Promise<void> {
  const { system } = provider
  const jar: CookieJar = new Map()
  const person = await createPerson(provider)
  const request = await beginLogin(app, jar)
  const before = jar.get(cookie)
  await browse(app, jar, await authorize(system, person.jar, request))
  const page = await (await browse(app, jar, '/')).text()
  expect(page).toContain('Hello Ada Lovelace!')
  expect(jar.get(cookie)).toEqual(expect.any(String))
  expect(jar.get(cookie)).not.toBe(before)

  const [, action = ''] = /<form method="post" action="([^"]+)">/.exec(page) ?? []
  const leaving = await submit(app, jar, action, hiddenFields(page))
  const left = await browse(system, person.jar, target(leaving, app))
  expect(left.headers.get('location')).toBe(`${app.baseUrl}/`)
  await beginLogin(app, jar)
  expect(await (await browse(system, person.jar, request)).text()).not.toContain('code=')
}

/** Returns to an app with an error, and with the state of somebody else: it says both with the status 400. */
export async function failLogins({ system }: Provider, app: Site): Promise<void> {
  for (const [ofThisBrowser, message] of [
    [true, 'The login failed: access_denied'],
    [false, 'The login failed'],
  ] as const) {
    const jar: CookieJar = new Map()
    const request = await beginLogin(app, jar)
    const state = ofThisBrowser ? (request.searchParams.get('state') ?? '') : 'of somebody else'
    const answer = new URLSearchParams({ error: 'access_denied', state, iss: system.baseUrl })
    const page = await browse(app, jar, `/callback?${answer}`)
    expect([page.status, await page.text()]).toEqual([400, expect.stringContaining(message)])
    expect(await (await browse(app, jar, '/')).text()).toContain('Nobody is logged in.')
  }
}
