import { hash, randomBytes } from 'node:crypto'
import { browse, type CookieJar, hiddenFields, submit } from '@gatehouse/test/browser/browser-login'
import { type OpenIdStandIn, startOpenIdStandIn } from '@gatehouse/test/servers/social-openid'
import { answerAt, standInClient } from '@gatehouse/test/servers/social-stand-in'
import type { Client } from 'pg'
import { BenchFailure } from '../failure.ts'
import type { Gatehouse } from '../gatehouse.ts'
import { send } from '../http.ts'
import { type People, redirectUri } from '../logins/login.ts'
import { busyUsers, type Places } from './fill.ts'

/** The ways of logging in: with a password, also with the step choose_organization, and by a connection of the organization. */
export const ways = ['password', 'organization', 'connection'] as const
export type Way = (typeof ways)[number]

/** A login at an app. @returns how long it took, in milliseconds, without the time at the provider's pages */
export type LogIn = (way: Way) => Promise<number>

/** The needs of logins. */
type Deps = {
  gatehouse: Gatehouse
  people: People
  places: Places
  database: Client
  cookie: string
  stack: AsyncDisposableStack
}

/**
 * Prepares logins in the big organization: an app that asks for an organization, a provider in this process, and its connection.
 * @param deps.cookie the administrator's
 */
export async function prepareVisits(deps: Deps): Promise<LogIn> {
  const { gatehouse, people, places, database, stack } = deps
  const site = { baseUrl: gatehouse.system.baseUrl }
  const provider = await startOpenIdStandIn('google')
  stack.defer(() => provider.close())
  const connectionId = await connect(deps, provider)
  const app = await admin<{ client_id: string; client_secret: string }>(deps, 'clients', {
    ...{ client_name: 'bench in organizations', redirect_uris: [redirectUri], scope: 'read' },
    ...{ grant_types: ['authorization_code'], organizations: 'required' },
  })
  await database.query(
    `insert into identity.organization_consents (user_id, client_id, organization_id, scope)
    select user_id, $1, organization_id, scope from identity.organization_consents where client_id = $2`,
    [app.client_id, people.client.client_id],
  )
  let next = 0

  async function logIn(way: Way): Promise<number> {
    const user = `bench-${(next++ % busyUsers) + 1}`
    const jar: CookieJar = new Map()
    const verifier = randomBytes(32).toString('base64url')
    const client = way === 'password' ? people.client : app
    const began = performance.now()
    let elsewhere = 0
    const request = new URLSearchParams({
      ...{ response_type: 'code', client_id: client.client_id, redirect_uri: redirectUri, scope: 'read' },
      ...{ code_challenge: hash('sha256', verifier, 'base64url'), code_challenge_method: 'S256' },
      ...(way === 'connection' && { organization: places.organizationId }),
    })
    let at = await follow(await browse(site, jar, `/oauth/authorize?${request}`))
    if (way === 'connection') {
      const link = new RegExp(`href="(/auth/login/${connectionId}[^"]*)"`).exec(at.page)?.[1] ?? ''
      const begun = await browse(site, jar, link.replaceAll('&amp;', '&'))
      provider.person = { sub: user, name: user }
      const left = performance.now()
      const back = await answerAt(provider, begun.headers.get('location') ?? '')
      elsewhere = performance.now() - left
      at = await follow(await browse(site, jar, back))
    } else {
      const form = { ...hiddenFields(at.page), username: user, password: people.password }
      at = await follow(await submit(site, jar, '/auth/login', form))
    }
    if (way === 'organization') {
      const form = { ...hiddenFields(at.page), organization: places.organizationId }
      at = await follow(await submit(site, jar, '/oauth/organization', form))
    }
    const code = at.to?.searchParams.get('code')
    if (!code) throw new BenchFailure(`A login (${way}) gave no code: ${at.to ?? at.page.slice(0, 300)}`)
    const form = {
      ...{ grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: redirectUri },
      ...{ client_id: client.client_id, client_secret: client.client_secret },
    }
    const redeemed = await send(`${gatehouse.url}/oauth/token`, { form })
    if (redeemed.status !== 200) throw new BenchFailure(`A code (${way}) was answered ${redeemed.status}`)
    return performance.now() - began - elsewhere

    /** Follows the redirects of this server, to a page or to the app. */
    async function follow(response: Response): Promise<{ page: string; to?: URL }> {
      const location = response.headers.get('location')
      if (location?.startsWith('/')) return follow(await browse(site, jar, location))
      if (location) return { page: '', to: new URL(location) }
      return { page: await response.text() }
    }
  }

  return logIn
}

/** Adds a connection to the provider, to which the users who log in are linked. @returns its id */
async function connect(deps: Deps, provider: OpenIdStandIn): Promise<string> {
  // Its metadata are read when the connection is created.
  provider.register('https://nobody.example/cb')
  const { clientId: client_id, clientSecret: client_secret } = standInClient
  const created = await admin<{ connection_id: string; redirect_uri: string }>(deps, 'connections', {
    ...{ kind: 'oidc', name: 'The provider', issuer: provider.issuer, client_id, client_secret },
    organization: deps.places.organizationId,
  })
  provider.register(created.redirect_uri)
  await deps.database.query(
    `insert into identity.connection_links (connection_id, issuer, subject, user_id, display_name)
    select $1, $2, username, id, username from bench_users where n <= ${busyUsers}`,
    [created.connection_id, provider.issuer],
  )
  return created.connection_id
}

async function admin<Body>({ gatehouse, cookie }: Deps, path: string, json: object): Promise<Body> {
  const { origin } = new URL(gatehouse.system.baseUrl)
  const headers = { cookie, origin, 'sec-fetch-site': 'same-origin' }
  const { status, text } = await send(`${gatehouse.url}/admin/api/${path}`, { json, headers })
  if (status !== 201)
    throw new BenchFailure(`/admin/api/${path} was answered ${status} ${text.slice(0, 300)}`)
  return JSON.parse(text) as Body
}
