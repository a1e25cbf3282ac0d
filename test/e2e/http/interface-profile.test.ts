import { readFile, writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { sharedTestSystem } from '../../support/system.ts'

// The profile `interface` promises that its public answers stay as they are, byte for byte. The record was made with
// release 0.3.0. `GATEHOUSE_TEST_RECORD=1` writes it anew, for an answer that is meant to change.

const record = new URL('interface-profile/answers.json', import.meta.url)
const system = await sharedTestSystem()

type Client = { client_id: string; client_secret: string }
type Request = { path: string; method?: string; headers?: Record<string, string>; body?: string }

const json = { 'content-type': 'application/json' }
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const post = (
  path: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Request => ({
  path,
  method: 'POST',
  headers: { ...form, ...headers },
  body: new URLSearchParams(fields).toString(),
})
const registration = (metadata: unknown): Request => ({
  path: '/clients/register',
  method: 'POST',
  headers: json,
  body: JSON.stringify(metadata),
})

const app = await register({
  client_name: 'App',
  redirect_uris: ['https://app.example.com/cb'],
  grant_types: ['authorization_code', 'client_credentials'],
  scope: 'read profile',
})
const accessToken = (await send(post('/oauth/token', { grant_type: 'client_credentials', ...app }))).body
  .access_token

const authorization = {
  response_type: 'code',
  client_id: app.client_id,
  redirect_uri: 'https://app.example.com/cb',
  scope: 'read',
  state: 'a state',
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  code_challenge_method: 'S256',
}
const authorize = (
  changes: Record<string, string | undefined>,
  headers: Record<string, string> = {},
): Request => {
  const parameters = Object.entries({ ...authorization, ...changes }).filter(
    ([, value]) => value !== undefined,
  )
  return { path: `/oauth/authorize?${new URLSearchParams(parameters as [string, string][])}`, headers }
}

const requests: Record<string, Request> = {
  'discovery (OpenID)': { path: '/.well-known/openid-configuration' },
  'discovery (RFC 8414)': { path: '/.well-known/oauth-authorization-server' },
  'key set': { path: '/.well-known/jwks.json' },
  'preflight of discovery': {
    path: '/.well-known/openid-configuration',
    method: 'OPTIONS',
    headers: { origin: 'https://a.example', 'access-control-request-method': 'GET' },
  },
  'authorization request without a session': authorize({}),
  'authorization request by POST': post('/oauth/authorize', authorization),
  'authorization request without a challenge': authorize({ code_challenge: undefined }),
  'authorization request with the scope openid': authorize({ scope: 'openid' }),
  'authorization request for another response type': authorize({ response_type: 'token' }),
  'authorization request with prompt=none': authorize({ prompt: 'none', nonce: 'n', max_age: '0' }),
  'authorization request with a resource': authorize({ resource: 'https://api.example.com' }),
  'authorization request of an unknown client': authorize({ client_id: 'client_none' }),
  'authorization request with another redirect URI': authorize({ redirect_uri: 'https://evil.example/cb' }),
  'token by client_credentials': post('/oauth/token', { grant_type: 'client_credentials', ...app }),
  'token with a resource': post('/oauth/token', {
    grant_type: 'client_credentials',
    resource: 'https://api.example.com',
    ...app,
  }),
  'token for another scope': post('/oauth/token', {
    grant_type: 'client_credentials',
    scope: 'write',
    ...app,
  }),
  'token with a wrong secret': post('/oauth/token', {
    grant_type: 'client_credentials',
    ...app,
    client_secret: 'x',
  }),
  'token with a wrong secret in the header': post(
    '/oauth/token',
    { grant_type: 'client_credentials' },
    { authorization: `Basic ${Buffer.from(`${app.client_id}:x`).toString('base64')}` },
  ),
  'refresh token, which is off': post('/oauth/token', {
    grant_type: 'refresh_token',
    refresh_token: 'x',
    ...app,
  }),
  'password, which is off': post('/oauth/token', {
    grant_type: 'password',
    username: 'a',
    password: 'b',
    ...app,
  }),
  'unknown grant': post('/oauth/token', {
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    ...app,
  }),
  'unknown code': post('/oauth/token', {
    grant_type: 'authorization_code',
    code: 'x',
    code_verifier: 'a'.repeat(43),
    redirect_uri: authorization.redirect_uri,
    ...app,
  }),
  'introspection of an active token': post('/oauth/introspect', { token: accessToken, ...app }),
  'introspection of anything else': post('/oauth/introspect', { token: 'x', ...app }),
  revocation: post('/oauth/revoke', { token: 'x', ...app }),
  registration: registration({ client_name: 'New', grant_types: ['client_credentials'], scope: 'read' }),
  'registration with many fields': registration({
    redirect_uris: ['https://app.example.com/cb'],
    software_id: 'a',
    contacts: ['a@example.com'],
    application_type: 'web',
    id_token_signed_response_alg: 'ES256',
    post_logout_redirect_uris: ['https://app.example.com/'],
    require_pkce: false,
  }),
  'registration of a public client': registration({
    redirect_uris: ['https://app.example.com/cb'],
    token_endpoint_auth_method: 'none',
  }),
  'registration with the scope openid': registration({
    redirect_uris: ['https://a.example/'],
    scope: 'openid',
  }),
  'registration with a bare scheme': registration({ redirect_uris: ['cursor:callback'] }),
  'registration with another method': registration({
    grant_types: ['client_credentials'],
    token_endpoint_auth_method: 'private_key_jwt',
  }),
  'read of a registration': {
    path: `/clients/register/${app.client_id}`,
    headers: { authorization: 'Bearer x' },
  },
  userinfo: { path: '/oauth/userinfo', headers: { authorization: `Bearer ${accessToken}` } },
  'OpenID logout': { path: '/oauth/logout?id_token_hint=x' },
  'preflight of the token endpoint': {
    path: '/oauth/token',
    method: 'OPTIONS',
    headers: { origin: 'https://a.example', 'access-control-request-method': 'POST' },
  },
}

/** Headers that belong to a connection, or that depend on the port. */
const passing = new Set(['connection', 'content-length', 'date', 'keep-alive', 'traceparent', 'x-request-id'])

test('the answers of the default profile are byte for byte those of release 0.3.0', async () => {
  const answers: Record<string, unknown> = {}
  for (const [name, request] of Object.entries(requests)) {
    const { status, headers, text } = await send(request)
    const kept = Object.entries(headers).filter(([header]) => !passing.has(header))
    answers[name] = { status, headers: Object.fromEntries(kept), body: masked(text) }
  }
  const written = `${masked(JSON.stringify(answers, null, 2))}\n`
  if (process.env.GATEHOUSE_TEST_RECORD) await writeFile(record, written)
  expect(JSON.parse(written)).toEqual(JSON.parse(await readFile(record, 'utf8')))
})

async function send({ path, ...init }: Request) {
  const response = await system.request(path, { redirect: 'manual', ...init })
  const text = await response.text()
  const headers = Object.fromEntries(response.headers)
  return { status: response.status, headers, text, body: text.startsWith('{') ? JSON.parse(text) : {} }
}

async function register(metadata: unknown): Promise<Client> {
  const { client_id, client_secret } = (await send(registration(metadata))).body
  return { client_id, client_secret }
}

/** Masks the values that differ between two runs, each by its kind. */
function masked(text: string): string {
  return text
    .replaceAll(system.baseUrl, '<issuer>')
    .replaceAll(encodeURIComponent(system.baseUrl), '<issuer>')
    .replace(/[\w-]+\.[\w-]+\.[\w-]{43}/g, '<token>')
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uuid>')
    .replace(/(client_secret\\?":\\?")[\w-]{43}/g, '$1<secret>')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replace(/((?:exp|iat|client_id_issued_at)\\?":)\d{10}/g, '$1<seconds>')
}
