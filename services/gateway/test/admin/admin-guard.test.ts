import type { RouteOptions } from 'fastify'
import { describe, expect, test } from 'vitest'
import {
  adminClient,
  administered,
  adminToken,
  bySession,
  byToken,
  rootUser,
} from '../../testing/administrator.ts'
import { accept, ann, cookie, pageErrorOf, refusing, secret, session } from '../../testing/browser.ts'
import { type Changes, errorOf, gateway } from '../../testing/gateway.ts'
import { addressOf } from '../openapi/route-table.ts'

const page = { accept }
const pathOf = ({ url }: RouteOptions) => addressOf(url)
const isPage = ({ config }: RouteOptions) => (config as { page?: boolean } | undefined)?.page === true

/** Every method and address for administrators. */
const { routes } = await gateway()
const adminRoutes = routes
  .filter(({ url }) => url.startsWith('/admin'))
  .flatMap((route) => [route.method].flat().map((method) => ({ ...route, method: method as 'GET' })))
const named = adminRoutes.map((route) => [`${route.method} ${route.url}`, route] as const)

/** A gateway that several tests share, each as if it were new. */
function once(open: () => ReturnType<typeof administered>) {
  let opening: ReturnType<typeof administered> | undefined
  return async () => {
    opening ??= open()
    const opened = await opening
    opened.calls.length = 0
    return opened
  }
}

/** The calls to the services that authenticate a request. */
const judging = new Set(['getSession', 'introspect', 'getUser', 'lookupClients'])

test('the list of routes for administrators is not empty', () => {
  expect(named.map(([name]) => name)).toEqual(
    expect.arrayContaining([
      'GET /admin',
      'HEAD /admin',
      'POST /admin/api/keys/rotate',
      'GET /admin/api/audit',
      'GET /admin/api/logins',
    ]),
  )
})

type Stranger = {
  who: string
  changes?: Changes
  headers: Record<string, string>
  /** The answer of the API. */
  refused: [status: number, code: string]
  /** The status of a page; absent if it redirects to the login page. */
  page?: number
}

const userSession = {
  identity: { getSession: async () => ({ session: { ...session, user: ann } }) },
}
const active = (changes: Partial<typeof adminToken> & { orgId?: string }): Changes => ({
  tokens: { introspect: async () => ({ ...adminToken, ...changes }) },
})
const usersToken = (
  answer: () => Promise<never> | Promise<{ user: typeof rootUser | undefined }>,
): Changes => ({
  tokens: { introspect: async () => ({ ...adminToken, sub: 'user-2', ofUser: true }) },
  identity: { getUser: answer as never },
})

const usersClient = (changes: Partial<typeof adminClient>): Changes => ({
  clientRegistry: {
    lookupClients: async () => ({ changed: [{ ...adminClient, ...changes }], unknown: [] }),
  },
})

const strangers: Stranger[] = [
  { who: 'nobody', headers: {}, refused: [401, 'login_required'] },
  { who: 'HTTP Basic', headers: { authorization: 'Basic YTpi' }, refused: [401, 'login_required'] },
  { who: 'a bearer of nothing', headers: { authorization: 'Bearer ' }, refused: [401, 'login_required'] },
  {
    who: 'a cookie that somebody else signed',
    headers: { cookie: cookie('gatehouse_session', secret, 'another key of more than 32 bytes for tests') },
    refused: [401, 'login_required'],
  },
  {
    who: 'an expired session',
    changes: { identity: { getSession: async () => ({ session: undefined }) } },
    headers: bySession,
    refused: [401, 'login_required'],
  },
  { who: 'a user', changes: userSession, headers: bySession, refused: [403, 'access_denied'], page: 403 },
  {
    who: 'a bearer of a token that is not active',
    changes: { tokens: { introspect: async () => undefined } },
    headers: byToken,
    refused: [401, 'invalid_token'],
  },
  {
    who: 'a user with a token of which the token service does not say that it is the client’s own',
    changes: {
      tokens: { introspect: async () => ({ ...adminToken, username: 'ann', ofUser: undefined }) },
      identity: { getUser: async () => ({ user: { ...rootUser, userId: 'client_a', admin: false } }) },
    },
    headers: byToken,
    refused: [403, 'access_denied'],
  },
  {
    who: 'a user whose id and name are the client’s',
    changes: {
      tokens: { introspect: async () => ({ ...adminToken, ofUser: true }) },
      identity: {
        getUser: async () => ({
          user: { ...rootUser, userId: 'client_a', username: 'client_a', admin: false },
        }),
      },
    },
    headers: byToken,
    refused: [403, 'access_denied'],
  },
  {
    who: 'a bearer of a token for another server',
    changes: active({ aud: 'https://api.example' }),
    headers: byToken,
    refused: [401, 'invalid_token'],
  },
  {
    who: 'a bearer of a token of an organization',
    changes: active({ orgId: 'org_01980000-0000-7000-8000-000000000001' }),
    headers: byToken,
    refused: [401, 'invalid_token'],
  },
  {
    who: 'a bearer without the scope',
    changes: active({ scope: 'read administer admins' }),
    headers: byToken,
    refused: [403, 'insufficient_scope'],
  },
  {
    who: 'a bearer whose client lost the scope',
    changes: usersClient({ scope: 'read' }),
    headers: byToken,
    refused: [403, 'insufficient_scope'],
  },
  {
    who: 'a bearer whose client is disabled',
    changes: usersClient({ disabled: true }),
    headers: byToken,
    refused: [401, 'invalid_token'],
  },
  {
    who: 'a bearer whose client was deleted',
    changes: { clientRegistry: { lookupClients: async () => ({ changed: [], unknown: ['client_a'] }) } },
    headers: byToken,
    refused: [401, 'invalid_token'],
  },
  {
    who: 'a bearer of a token of a user',
    changes: usersToken(async () => ({ user: { ...rootUser, admin: false } })),
    headers: byToken,
    refused: [403, 'access_denied'],
  },
  {
    who: 'a bearer of a token of an administrator who is disabled',
    changes: usersToken(async () => ({ user: { ...rootUser, disabledAt: new Date(0) as never } })),
    headers: byToken,
    refused: [403, 'access_denied'],
  },
  {
    who: 'a bearer of a token of a user who is deleted',
    changes: usersToken(refusing('not_found')),
    headers: byToken,
    refused: [403, 'access_denied'],
  },
]

describe.each(strangers)('$who gets nothing', ({ changes = {}, headers, refused, page: pageStatus }) => {
  const open = once(() => administered(changes))

  test('from any route of the API', async () => {
    const { send, calls } = await open()
    for (const [name, route] of named.filter(([, route]) => !isPage(route))) {
      const { method } = route as { method: string }
      // The body is invalid: a refused caller must not learn what is wrong with it.
      const body = method === 'GET' || method === 'HEAD' ? undefined : '{'
      const answer = await send(route.method, pathOf(route), body, headers)
      const code = method === 'HEAD' ? refused[1] : errorOf(answer)
      expect([name, answer.status, code]).toEqual([name, ...refused])
      expect(answer.headers).toMatchObject({ 'cache-control': 'no-store' })
    }
    expect(calls.filter(({ name }) => !judging.has(name))).toEqual([])
  })

  test('from any page', async () => {
    const { send, calls } = await open()
    for (const [name, route] of named.filter(([, route]) => isPage(route))) {
      const returnTo = encodeURIComponent(pathOf(route))
      const answer = await send(route.method, pathOf(route), undefined, { ...headers, ...page })
      expect([name, answer.status, answer.headers.location]).toEqual(
        pageStatus ? [name, pageStatus, undefined] : [name, 302, `/auth/login?return_to=${returnTo}`],
      )
      expect(answer.headers).toMatchObject({ 'cache-control': 'no-store' })
    }
    expect(calls.filter(({ name }) => !judging.has(name))).toEqual([])
  })
})

describe('a request that another site makes an administrator’s browser send', () => {
  const changing = named.filter(([, { method }]) => !['GET', 'HEAD'].includes(method as string))
  const elsewhere = [
    { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'null' },
  ] as Record<string, string>[]

  test('is refused at every route, and no service is called', async () => {
    const { send, calls } = await administered()
    expect(changing.length).toBeGreaterThan(10)
    for (const [name, route] of changing) {
      for (const headers of elsewhere) {
        const answer = await send(route.method, pathOf(route), undefined, { ...bySession, ...headers })
        expect([name, answer.status, errorOf(answer)]).toEqual([name, 403, 'access_denied'])
      }
    }
    expect(calls).toEqual([])
  })

  test('is authenticated only by its bearer token, if it has one', async () => {
    const { send, asked } = await administered({
      tokens: {
        introspect: async () => undefined,
        rotateKeyOfAlgorithm: async () => ({ keys: [] }),
      },
    })
    const answer = await send('POST', '/admin/api/keys/rotate', undefined, { ...bySession, ...byToken })
    expect([answer.status, errorOf(answer)]).toEqual([401, 'invalid_token'])
    expect(asked('getSession')).toEqual([])
  })
})

test.each([
  ['nothing was presented', {}, 'Bearer realm="gatehouse"'],
  [
    'the scope is missing',
    byToken,
    'Bearer realm="gatehouse", error="insufficient_scope", scope="admin:keys:read"',
  ],
])('a program is told which credentials it needs when %s (RFC 6750)', async (_, headers, challenge) => {
  const { send } = await administered(active({ scope: 'read' }))
  const answer = await send('GET', '/admin/api/keys', undefined, headers as Record<string, string>)
  expect(answer.headers['www-authenticate']).toBe(challenge)
})

test('a service that is away gives 503, not a refusal', async () => {
  const { send } = await administered({ identity: { getSession: refusing('temporarily_unavailable') } })
  const answer = await send('GET', '/admin/api/keys', undefined, bySession)
  expect([answer.status, errorOf(answer)]).toEqual([503, 'temporarily_unavailable'])
})

test('a user who is not an administrator gets a page that says so', async () => {
  const { send } = await administered(userSession)
  const answer = await send('GET', '/admin', undefined, { ...bySession, ...page })
  expect([answer.status, pageErrorOf(answer)]).toEqual([403, 'access_denied'])
})
