import { accessTokenHeader, claimsOf, makeJwt } from '@gatehouse/test/jwt'
import { credentialsOf, expectRefusal, issueToken } from '@gatehouse/test/oauth'
import { startTestSystem } from '@gatehouse/test/system'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addressOf, routesOf } from '../../../services/gateway/test/openapi/route-table.ts'
import { gatewayAlone } from '../../../tools/openapi-document.ts'
import {
  type AdminWorld,
  bearer,
  type Credentials,
  jwtSecret,
  sessionOf,
  startAdminWorld,
} from './admin-world.ts'

/** An administrators' route, with a valid body if it takes one. */
type Route = { method: string; path: string; body: object | undefined; page: boolean }

let world: AdminWorld
let routes: Route[]
let auditBefore: string
const strangers = new Map<string, { credentials: Credentials; status: number; code: string }>()

beforeAll(async () => {
  world = await startAdminWorld()
  const { system, done, addUser, tokenOf } = world
  const program = (name: string, status: number, code: string, credentials: Credentials) =>
    strangers.set(name, { status, code, credentials })

  const victim = await addUser()
  const client = await system.register()
  routes = await adminRoutes({ client_id: client.client_id, user_id: victim.user_id, session_id: 'x' })

  program('nobody', 401, 'login_required', {})
  program('a client with its secret', 401, 'login_required', {
    authorization: `Basic ${btoa(`${world.operator.client_id}:${world.operator.client_secret}`)}`,
  })
  const person = await addUser()
  program('a user', 403, 'access_denied', await sessionOf(system, person.username, person.password))
  program('a client with another scope', 403, 'insufficient_scope', bearer(await issueToken(system, client)))
  program('a user who allowed it to a client', 403, 'access_denied', bearer(await tokenOf(person)))

  const expired = { ...claimsOf(world.operatorToken), exp: Math.floor(Date.now() / 1000) - 60 }
  program(
    'a token that has expired',
    401,
    'invalid_token',
    bearer(makeJwt(accessTokenHeader, expired, jwtSecret)),
  )
  program(
    'a token that nobody issued',
    401,
    'invalid_token',
    bearer(makeJwt(accessTokenHeader, { ...expired, exp: expired.exp + 600 }, jwtSecret)),
  )
  const revoked = await issueToken(system, world.operator)
  await done('POST', '/admin/api/tokens/revoke', { token: revoked })
  program('a token that was revoked', 401, 'invalid_token', bearer(revoked))

  const disabled = await addUser(true)
  const disabledToken = await tokenOf(disabled)
  const disabledSession = await sessionOf(system, disabled.username, disabled.password)
  const demoted = await addUser(true)
  const demotedToken = await tokenOf(demoted)
  const demotedSession = await sessionOf(system, demoted.username, demoted.password)
  const deleted = await addUser(true)
  const deletedToken = await tokenOf(deleted)
  const deletedSession = await sessionOf(system, deleted.username, deleted.password)
  const readOnly = await addUser(true)
  const readOnlyToken = await tokenOf(readOnly, 'read')
  for (const credentials of [
    ...[disabledToken, demotedToken, deletedToken].map(bearer),
    ...[disabledSession, demotedSession, deletedSession],
  ]) {
    // Each of them had access before.
    expect((await world.api(credentials, 'GET', '/admin/api/keys')).status).toBe(200)
  }
  await done('PATCH', `/admin/api/users/${disabled.user_id}`, { disabled: true })
  await done('PATCH', `/admin/api/users/${demoted.user_id}`, { admin: false })
  await done('DELETE', `/admin/api/users/${deleted.user_id}`)
  program('a token of a disabled administrator', 401, 'invalid_token', bearer(disabledToken))
  program('a session of a disabled administrator', 401, 'login_required', disabledSession)
  program('a token of a demoted administrator', 403, 'access_denied', bearer(demotedToken))
  program('a session of a demoted administrator', 403, 'access_denied', demotedSession)
  program('a token of a deleted administrator', 401, 'invalid_token', bearer(deletedToken))
  program('a session of a deleted administrator', 401, 'login_required', deletedSession)
  program('a token of an administrator without the scope', 403, 'insufficient_scope', bearer(readOnlyToken))

  const former = await sessionOf(system, readOnly.username, readOnly.password)
  await system.request('/auth/logout', { method: 'POST', headers: former, redirect: 'manual' })
  program('an administrator who has logged out', 401, 'login_required', former)
  auditBefore = await auditLog()
})
afterAll(() => world?.stop())

const names = [
  'nobody',
  'a client with its secret',
  'a user',
  'a client with another scope',
  'a user who allowed it to a client',
  'a token that has expired',
  'a token that nobody issued',
  'a token that was revoked',
  'a token of a disabled administrator',
  'a session of a disabled administrator',
  'a token of a demoted administrator',
  'a session of a demoted administrator',
  'a token of a deleted administrator',
  'a session of a deleted administrator',
  'a token of an administrator without the scope',
  'an administrator who has logged out',
]

test('covers every administrators’ route with every stranger', () => {
  expect(routes.length).toBeGreaterThan(60)
  expect(routes.map(({ method, path }) => `${method} ${path}`)).toEqual(
    expect.arrayContaining(['GET /admin', 'POST /admin/api/keys/rotate', 'GET /admin/api/logins']),
  )
  expect([...strangers.keys()].sort()).toEqual([...names].sort())
})

test.each(names)('refuses every route to %s', async (name) => {
  const { credentials, status, code } = strangers.get(name) ?? expect.unreachable()
  for (const route of routes) {
    const answer = await send(route, credentials)
    const what = `${route.method} ${route.path}`
    if (route.page) expectNoPage(what, answer, code)
    else if (route.method === 'HEAD') expect([what, answer.status]).toEqual([what, status])
    else {
      expect([what, answer.status, Object.keys(answer.body)]).toEqual([
        what,
        status,
        ['error', 'error_description'],
      ])
      expect([what, answer.body.error]).toEqual([what, code])
    }
    expect(answer.headers.get('cache-control')).toBe('no-store')
  }
})

test('refuses what another site makes an administrator’s browser send', async () => {
  const cookie = world.root.cookie ?? ''
  for (const route of routes.filter(({ method }) => method !== 'GET' && method !== 'HEAD')) {
    for (const site of [
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      { origin: 'null' },
      { 'sec-fetch-site': 'same-site' },
    ] as Credentials[]) {
      const answer = await send(route, { cookie, ...site })
      expect([route.method, route.path, answer.status]).toEqual([route.method, route.path, 403])
    }
  }
})

test('has changed nothing after all of these requests', async () => {
  expect(await auditLog()).toBe(auditBefore)
})

describe('the scope of administrators', () => {
  test.each(['admin', 'read admin'])('cannot be registered: %s', async (scope) => {
    const answer = await world.system.json('/clients/register', {
      grant_types: ['client_credentials'],
      scope,
    })
    await expectRefusal(answer, 400, 'invalid_scope')
  })

  test('cannot be requested by a client that does not have it', async () => {
    const client = await world.system.register()
    const answer = await world.system.form('/oauth/token', {
      ...{ grant_type: 'client_credentials', scope: 'read admin' },
      ...credentialsOf(client),
    })
    await expectRefusal(answer, 400, 'invalid_scope')
  })
})

test('cannot register the scope even if the server is configured to support it', {
  timeout: 60_000,
}, async () => {
  const open = await startTestSystem({ OAUTH2_SCOPES_SUPPORTED: 'read write admin' })
  try {
    const metadata = { grant_types: ['client_credentials'], scope: 'admin' }
    await expectRefusal(await open.json('/clients/register', metadata), 400, 'invalid_scope')
  } finally {
    await open.stop()
  }
})

async function auditLog(): Promise<string> {
  return (await world.api(world.root, 'GET', '/admin/api/audit?limit=200')).text
}

function send({ method, path, body, page }: Route, credentials: Credentials) {
  return world.api(page ? { accept: 'text/html', ...credentials } : credentials, method, path, body)
}

/** Expects a redirect to the login without a session, and an error page for a user who is not an administrator. */
function expectNoPage(
  what: string,
  { status, headers, text }: Awaited<ReturnType<typeof send>>,
  code: string,
): void {
  if (status === 403) {
    expect([what, code]).toEqual([what, 'access_denied'])
    expect(text).toMatch(/^$|access_denied/)
    return
  }
  expect([what, [302, 303].includes(status)]).toEqual([what, true])
  expect([what, headers.get('location')]).toEqual([
    what,
    expect.stringMatching(/^\/auth\/login\?return_to=%2Fadmin/),
  ])
  expect(text).toBe('')
}

type Operation = { requestBody?: { content: Record<string, { example?: object }> } }
type Document = { paths: Record<string, Record<string, Operation>> }

/** All administrators' routes of the gateway. The OpenAPI document has an example for each body. */
async function adminRoutes(ids: Record<string, string>): Promise<Route[]> {
  const app = await gatewayAlone()
  const { paths } = app.swagger() as unknown as Document
  await app.close()
  return routesOf(app)
    .filter(({ url }) => url === '/admin' || url.startsWith('/admin/'))
    .flatMap(({ url, method: methods }) =>
      [methods].flat().map((method) => {
        const operation = paths[url.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]
        const path = addressOf(url, ids)
        const body = operation?.requestBody?.content['application/json']?.example
        return { method, path, body, page: !path.startsWith('/admin/api/') }
      }),
    )
}
