import { expect, test } from 'vitest'
import { administered, bySession, byToken, rootActor } from './administrator.ts'
import { refusing } from './browser.ts'
import { type Changes, client, errorOf } from './gateway.ts'

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

const created = new Date('2030-01-01T00:00:00Z')
const clientMessage = {
  ...client,
  revision: 7n,
  secrets: [
    { digest: Buffer.alloc(0), expiresAt: undefined },
    { digest: Buffer.alloc(0), expiresAt: created },
  ],
}
const clientBody = {
  client_id: 'client_a',
  client_name: 'Acme',
  redirect_uris: ['https://app.example/cb'],
  grant_types: ['authorization_code'],
  scope: 'read',
  token_endpoint_auth_method: 'client_secret_basic',
  first_party: false,
  disabled: false,
  created_at: '2030-01-01T00:00:00.900Z',
  revision: 7,
  secrets: [{}, { expires_at: '2030-01-01T00:00:00.000Z' }],
}
const user = {
  userId: 'user-1',
  username: 'ann',
  admin: false,
  createdAt: created,
  disabledAt: undefined,
  hasPassword: true,
  socialAccounts: [{ provider: 'github', displayName: 'Ann', linkedAt: created }],
}
const userBody = {
  user_id: 'user-1',
  username: 'ann',
  admin: false,
  disabled: false,
  has_password: true,
  created_at: '2030-01-01T00:00:00.000Z',
  social_accounts: [{ provider: 'github', display_name: 'Ann', linked_at: '2030-01-01T00:00:00.000Z' }],
}
const { social_accounts: _, ...userInList } = userBody
const token = {
  jti: 'jti-1',
  clientId: 'client_a',
  userId: '',
  username: '',
  scope: 'read',
  grantId: 'grant-1',
  issuedAt: created,
  expiresAt: new Date('2030-01-01T01:00:00Z'),
  revoked: false,
}
const tokenBody = {
  jti: 'jti-1',
  exp: Date.parse('2030-01-01T01:00:00Z') / 1000,
  client_id: 'client_a',
  scope: 'read',
  grant_id: 'grant-1',
  issued_at: '2030-01-01T00:00:00.000Z',
  expires_at: '2030-01-01T01:00:00.000Z',
  revoked: false,
}
const session = {
  sessionId: 'session-1',
  user: undefined,
  createdAt: created,
  expiresAt: token.expiresAt,
  seenAt: created,
  userAgent: 'Mozilla/5.0',
  ipAddress: '192.0.2.7',
}
const sessionBody = {
  session_id: 'session-1',
  created_at: '2030-01-01T00:00:00.000Z',
  expires_at: '2030-01-01T01:00:00.000Z',
  user_agent: 'Mozilla/5.0',
  ip_address: '192.0.2.7',
  current: true,
}
const actor = rootActor
const changesNothing = {
  clientName: undefined,
  redirectUris: undefined,
  grantTypes: undefined,
  scope: undefined,
  firstParty: undefined,
  disabled: undefined,
}

/** One good request each: what it makes of which call, and what it makes of the answer. */
type Case = {
  request: [method: Method, path: string, body?: object]
  service: keyof Changes
  call: string
  asked: object
  gives: object
  answer: [status: number, body?: object]
}

const cases: Case[] = [
  {
    request: ['GET', '/admin/api/clients'],
    ...{ service: 'clientRegistry', call: 'listClients' },
    asked: { search: '', cursor: '', limit: 50 },
    gives: { clients: [clientMessage], nextCursor: '', total: 1n },
    answer: [200, { items: [clientBody], total: 1 }],
  },
  {
    request: ['GET', '/admin/api/clients?search=Ac%25me&cursor=abc&limit=200'],
    ...{ service: 'clientRegistry', call: 'listClients' },
    asked: { search: 'Ac%me', cursor: 'abc', limit: 200 },
    gives: { clients: [], nextCursor: 'next', total: 10_000_000n },
    answer: [200, { items: [], next_cursor: 'next', total: 10_000_000 }],
  },
  {
    request: ['POST', '/admin/api/clients', { client_name: 'Acme', scope: 'read admin', first_party: true }],
    ...{ service: 'clientRegistry', call: 'createClient' },
    asked: {
      registration: {
        clientName: 'Acme',
        redirectUris: [],
        grantTypes: [],
        scope: 'read admin',
        tokenEndpointAuthMethod: undefined,
      },
      firstParty: true,
      actor,
    },
    gives: { client: clientMessage, clientSecret: 'the secret' },
    answer: [201, { ...clientBody, client_secret: 'the secret' }],
  },
  {
    request: ['POST', '/admin/api/clients', { token_endpoint_auth_method: 'none', grant_types: ['a'] }],
    ...{ service: 'clientRegistry', call: 'createClient' },
    asked: {
      registration: {
        clientName: undefined,
        redirectUris: [],
        grantTypes: ['a'],
        scope: undefined,
        tokenEndpointAuthMethod: 'none',
      },
      firstParty: false,
      actor,
    },
    gives: { client: clientMessage, clientSecret: '' },
    answer: [201, clientBody],
  },
  {
    request: ['GET', '/admin/api/clients/client_a'],
    ...{ service: 'clientRegistry', call: 'getClient' },
    asked: { clientId: 'client_a' },
    gives: { client: clientMessage },
    answer: [200, clientBody],
  },
  {
    request: ['PATCH', '/admin/api/clients/client_a', { disabled: true }],
    ...{ service: 'clientRegistry', call: 'updateClient' },
    asked: { ...changesNothing, clientId: 'client_a', revision: 0n, disabled: true, actor },
    gives: { client: clientMessage },
    answer: [200, clientBody],
  },
  {
    request: [
      'PATCH',
      '/admin/api/clients/client_a',
      {
        client_name: 'A',
        redirect_uris: [],
        grant_types: ['b'],
        scope: 'c',
        first_party: false,
        revision: 6,
      },
    ],
    ...{ service: 'clientRegistry', call: 'updateClient' },
    asked: {
      clientId: 'client_a',
      revision: 6n,
      clientName: 'A',
      redirectUris: { items: [] },
      grantTypes: { items: ['b'] },
      scope: 'c',
      firstParty: false,
      disabled: undefined,
      actor,
    },
    gives: { client: clientMessage },
    answer: [200, clientBody],
  },
  {
    request: ['DELETE', '/admin/api/clients/client_a'],
    ...{ service: 'clientRegistry', call: 'deleteClient' },
    asked: { clientId: 'client_a', actor },
    gives: {},
    answer: [204],
  },
  {
    request: ['POST', '/admin/api/clients/client_a/secret', { overlap_seconds: 3600 }],
    ...{ service: 'clientRegistry', call: 'rotateClientSecret' },
    asked: { clientId: 'client_a', overlapSeconds: 3600, actor },
    gives: { client: clientMessage, clientSecret: 'the new one' },
    answer: [200, { ...clientBody, client_secret: 'the new one' }],
  },
  {
    request: ['POST', '/admin/api/clients/client_a/secret'],
    ...{ service: 'clientRegistry', call: 'rotateClientSecret' },
    asked: { clientId: 'client_a', overlapSeconds: 0, actor },
    gives: { client: clientMessage, clientSecret: 'the new one' },
    answer: [200, { ...clientBody, client_secret: 'the new one' }],
  },
  {
    request: ['DELETE', '/admin/api/clients/client_a/tokens'],
    ...{ service: 'tokens', call: 'endTokensOf' },
    asked: { of: { $case: 'clientId', value: 'client_a' }, actor },
    gives: {},
    answer: [204],
  },
  {
    request: ['GET', '/admin/api/tokens'],
    ...{ service: 'tokens', call: 'listAccessTokens' },
    asked: { of: undefined, cursor: '', limit: 50 },
    gives: { tokens: [token], nextCursor: 'next' },
    answer: [200, { items: [tokenBody], next_cursor: 'next' }],
  },
  {
    request: ['GET', '/admin/api/tokens?client_id=client_a&limit=1'],
    ...{ service: 'tokens', call: 'listAccessTokens' },
    asked: { of: { $case: 'clientId', value: 'client_a' }, cursor: '', limit: 1 },
    gives: { tokens: [{ ...token, userId: 'user-1', username: 'ann', revoked: true }], nextCursor: '' },
    answer: [200, { items: [{ ...tokenBody, user_id: 'user-1', username: 'ann', revoked: true }] }],
  },
  {
    request: ['GET', '/admin/api/tokens?user_id=user-1'],
    ...{ service: 'tokens', call: 'listAccessTokens' },
    asked: { of: { $case: 'userId', value: 'user-1' }, cursor: '', limit: 50 },
    gives: { tokens: [], nextCursor: '' },
    answer: [200, { items: [] }],
  },
  {
    request: ['POST', '/admin/api/tokens/revoke', { token: 'a.b.c' }],
    ...{ service: 'tokens', call: 'endToken' },
    asked: { which: { $case: 'token', value: 'a.b.c' }, actor },
    gives: {},
    answer: [204],
  },
  {
    request: ['POST', '/admin/api/tokens/revoke', { jti: 'jti-1', exp: 1_900_000_000 }],
    ...{ service: 'tokens', call: 'endToken' },
    asked: { which: { $case: 'key', value: { jti: 'jti-1', exp: 1_900_000_000 } }, actor },
    gives: {},
    answer: [204],
  },
  {
    request: ['GET', '/admin/api/users?search=a'],
    ...{ service: 'identity', call: 'listUsers' },
    asked: { search: 'a', cursor: '', limit: 50 },
    gives: { users: [user], nextCursor: 'next', total: 3n },
    answer: [200, { items: [userInList], next_cursor: 'next', total: 3 }],
  },
  {
    request: ['POST', '/admin/api/users', { username: 'ann', password: 'a password' }],
    ...{ service: 'identity', call: 'createUser' },
    asked: { username: 'ann', password: 'a password', admin: false, actor },
    gives: { user: { userId: 'user-1', username: 'ann', admin: false } },
    answer: [201, { user_id: 'user-1', username: 'ann', admin: false }],
  },
  {
    request: ['GET', '/admin/api/users/user-1'],
    ...{ service: 'identity', call: 'getUser' },
    asked: { userId: 'user-1' },
    gives: { user: { ...user, disabledAt: created } },
    answer: [200, { ...userBody, disabled: true, disabled_at: '2030-01-01T00:00:00.000Z' }],
  },
  {
    request: ['PATCH', '/admin/api/users/user-1', { admin: true }],
    ...{ service: 'identity', call: 'updateUser' },
    asked: { userId: 'user-1', disabled: undefined, admin: true, actor },
    gives: { user },
    answer: [200, userBody],
  },
  {
    request: ['DELETE', '/admin/api/users/user-1'],
    ...{ service: 'identity', call: 'deleteUser' },
    asked: { userId: 'user-1', actor },
    gives: {},
    answer: [204],
  },
  {
    request: ['POST', '/admin/api/users/user-1/password'],
    ...{ service: 'identity', call: 'resetPassword' },
    asked: { userId: 'user-1', newPassword: '', actor },
    gives: { generatedPassword: 'made up' },
    answer: [200, { generated_password: 'made up' }],
  },
  {
    request: ['POST', '/admin/api/users/user-1/password', { new_password: 'chosen one' }],
    ...{ service: 'identity', call: 'resetPassword' },
    asked: { userId: 'user-1', newPassword: 'chosen one', actor },
    gives: { generatedPassword: '' },
    answer: [200, {}],
  },
  {
    request: ['GET', '/admin/api/users/user-1/sessions'],
    ...{ service: 'identity', call: 'listSessions' },
    asked: { userId: 'user-1' },
    gives: { sessions: [session, { ...session, sessionId: 'session-2' }] },
    answer: [200, { items: [sessionBody, { ...sessionBody, session_id: 'session-2', current: false }] }],
  },
  {
    request: ['DELETE', '/admin/api/users/user-1/sessions'],
    ...{ service: 'identity', call: 'endUserSessions' },
    asked: { userId: 'user-1', sessionId: '', actor },
    gives: {},
    answer: [204],
  },
  {
    request: ['DELETE', '/admin/api/users/user-1/sessions/session-1'],
    ...{ service: 'identity', call: 'endUserSessions' },
    asked: { userId: 'user-1', sessionId: 'session-1', actor },
    gives: {},
    answer: [204],
  },
  {
    request: ['DELETE', '/admin/api/users/user-1/tokens'],
    ...{ service: 'tokens', call: 'endTokensOf' },
    asked: { of: { $case: 'userId', value: 'user-1' }, actor },
    gives: {},
    answer: [204],
  },
  {
    request: ['GET', '/admin/api/keys'],
    ...{ service: 'tokens', call: 'listSigningKeys' },
    asked: {},
    gives: {
      keys: [
        { kid: 'k2', algorithm: 'HS256', createdAt: created, verifiesUntil: undefined },
        { kid: 'default', algorithm: 'HS256', createdAt: created, verifiesUntil: token.expiresAt },
      ],
    },
    answer: [
      200,
      {
        items: [
          { kid: 'k2', algorithm: 'HS256', created_at: '2030-01-01T00:00:00.000Z', active: true },
          {
            kid: 'default',
            algorithm: 'HS256',
            created_at: '2030-01-01T00:00:00.000Z',
            active: false,
            verifies_until: '2030-01-01T01:00:00.000Z',
          },
        ],
      },
    ],
  },
  {
    request: ['POST', '/admin/api/keys/rotate'],
    ...{ service: 'tokens', call: 'rotateSigningKey' },
    asked: { actor },
    gives: {
      keys: [
        { kid: 'k2', algorithm: 'HS256', createdAt: created, verifiesUntil: undefined },
        { kid: 'default', algorithm: 'HS256', createdAt: created, verifiesUntil: token.expiresAt },
      ],
    },
    answer: [
      200,
      {
        kid: 'k2',
        algorithm: 'HS256',
        created_at: '2030-01-01T00:00:00.000Z',
        previous: [{ kid: 'default', verifies_until: '2030-01-01T01:00:00.000Z' }],
      },
    ],
  },
]

const titled = cases.map((one) => [`${one.request[0]} ${one.request[1]}`, one] as const)

/** What the services answer now: one gateway serves all cases. */
let answerNow: () => unknown
const callsOf = (service: keyof Changes) =>
  Object.fromEntries(
    cases.filter((one) => one.service === service).map(({ call }) => [call, async () => answerNow()]),
  )
const shared = administered({
  tokens: callsOf('tokens'),
  identity: callsOf('identity'),
  clientRegistry: callsOf('clientRegistry'),
})

async function sendAs(headers: Record<string, string>, [method, path, body]: Case['request']) {
  const { send, calls, asked } = await shared
  calls.length = 0
  const answer = await send(method, path, body, headers)
  return { ...answer, asked }
}

test.each(titled)('%s', async (_, { request, call, asked, gives, answer: [status, body] }) => {
  answerNow = () => gives
  const got = await sendAs(bySession, request)
  expect([got.status, got.text === '' ? undefined : JSON.parse(got.text)]).toEqual([status, body])
  expect(got.asked(call)).toEqual([asked])
  expect(got.headers).toMatchObject({ 'cache-control': 'no-store' })
})

test.each(titled)('what a service refuses is passed on: %s', async (_, { request }) => {
  answerNow = refusing('invalid_request', 'Somebody else changed it meanwhile.')
  const got = await sendAs(byToken, request)
  expect([got.status, JSON.parse(got.text)]).toEqual([
    400,
    { error: 'invalid_request', error_description: 'Somebody else changed it meanwhile.' },
  ])
})

test.each<[what: string, ...Case['request'], field: string]>([
  ['a limit of nothing', 'GET', '/admin/api/clients?limit=0', undefined as never, 'limit'],
  ['a limit that is too much', 'GET', '/admin/api/users?limit=201', undefined as never, 'limit'],
  ['a limit that is none', 'GET', '/admin/api/tokens?limit=1e2', undefined as never, 'limit'],
  ['two limits', 'GET', '/admin/api/audit?limit=1&limit=2', undefined as never, 'limit'],
  ['a cursor of nobody', 'GET', '/admin/api/audit?cursor=abc', undefined as never, 'cursor'],
  ['two owners', 'GET', '/admin/api/tokens?client_id=a&user_id=b', undefined as never, 'client_id'],
  ['no token', 'POST', '/admin/api/tokens/revoke', {}, 'token'],
  ['a token without its time', 'POST', '/admin/api/tokens/revoke', { jti: 'a' }, 'exp'],
  ['two tokens', 'POST', '/admin/api/tokens/revoke', { token: 'a', jti: 'a', exp: 1 }, 'token'],
  ['a time beyond all', 'POST', '/admin/api/tokens/revoke', { jti: 'a', exp: 2 ** 32 }, 'exp'],
  ['no user name', 'POST', '/admin/api/users', { password: 'a password' }, 'username'],
  ['no body', 'POST', '/admin/api/users', undefined as never, 'username'],
  ['a text for a truth', 'PATCH', '/admin/api/users/user-1', { admin: 'true' }, 'admin'],
  ['null for a truth', 'PATCH', '/admin/api/users/user-1', { disabled: null }, 'disabled'],
  ['a name that is none', 'PATCH', '/admin/api/clients/client_a', { client_name: 1 }, 'client_name'],
  ['half a revision', 'PATCH', '/admin/api/clients/client_a', { revision: 1.5 }, 'revision'],
  ['too long an overlap', 'POST', '/admin/api/clients/c/secret', { overlap_seconds: 2_592_001 }, 'overlap'],
  ['a time of nobody', 'GET', '/admin/api/traffic?since=yesterday', undefined as never, 'since'],
  ['a day that is none', 'GET', '/admin/api/traffic?since=2026-13-01T00:00:00Z', undefined as never, 'since'],
])('%s is refused with the name of the field', async (_, method, path, body, field) => {
  const { send, calls } = await shared
  calls.length = 0
  const answer = await send(method, path, body, bySession)
  expect([answer.status, errorOf(answer)]).toEqual([400, 'invalid_request'])
  const { error_description: description } = JSON.parse(answer.text)
  expect(description).toContain(field)
  expect(description).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/)
  expect(calls.map(({ name }) => name)).toEqual(['getSession'])
})

test('a body that is not JSON is refused', async () => {
  const { send } = await administered()
  const form = await send('POST', '/admin/api/users', 'username=ann&password=a+password', bySession)
  expect([form.status, errorOf(form)]).toEqual([400, 'invalid_request'])
  const json = { 'content-type': 'application/json', ...bySession }
  const broken = await send('POST', '/admin/api/users', '{', json)
  expect([broken.status, errorOf(broken)]).toEqual([400, 'invalid_request'])
  const proto = await send('POST', '/admin/api/users', '{"__proto__":{"admin":true}}', json)
  expect([proto.status, errorOf(proto)]).toEqual([400, 'invalid_request'])
})

test('an empty body is none, whatever its type', async () => {
  const { send } = await administered({
    identity: { resetPassword: async () => ({ generatedPassword: 'p' }) },
  })
  const json = { 'content-type': 'application/json', ...bySession }
  expect((await send('POST', '/admin/api/users/u/password', '', json)).status).toBe(200)
})
