import { submit } from '@gatehouse/test/browser/browser-login'
import { claimsOf } from '@gatehouse/test/jwt'
import {
  basic,
  credentialsOf,
  expectNotStored,
  expectRefusal,
  introspectionOf,
  untilReady,
} from '@gatehouse/test/oauth'
import { type RegisteredClient, sharedTestSystem, type TestSystem } from '@gatehouse/test/system'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  addPerson,
  type Code,
  codeFor,
  digestOf,
  isActive,
  named,
  type Person,
  pkce,
  query,
  redeem,
  redirectUri,
  registerApp,
  tokensOf,
} from '../logins/login-people.ts'

let system: TestSystem
let client: RegisteredClient
let other: RegisteredClient
let person: Person
beforeAll(async () => {
  system = await sharedTestSystem()
  await untilReady(system)
  client = await registerApp(system)
  other = await registerApp(system)
  person = await addPerson(system)
})

const newCode = (changes: Record<string, string> = {}) => codeFor(system, person, client, changes)
const present = (code: Record<string, string>, changes: Record<string, string> = {}) =>
  redeem(system, credentialsOf(client), { ...code, ...changes })

test('redeems a code for a token of its user with the scope they allowed', async () => {
  const response = await present(await newCode({ scope: 'read profile' }), { redirect_uri: redirectUri })
  expectNotStored(response)
  const tokens = await tokensOf(response)
  expect(tokens).toEqual({
    access_token: expect.any(String),
    token_type: 'Bearer',
    expires_in: 3600,
    scope: 'read profile',
  })
  expect(claimsOf(tokens.access_token)).toEqual({
    iss: system.baseUrl,
    aud: system.baseUrl,
    sub: person.userId,
    client_id: client.client_id,
    scope: 'read profile',
    exp: expect.any(Number),
    iat: expect.any(Number),
    jti: expect.any(String),
  })
  expect(JSON.parse(await introspectionOf(system, tokens.access_token))).toMatchObject({
    active: true,
    username: person.username,
    sub: person.userId,
    client_id: client.client_id,
    scope: 'read profile',
  })
})

test('revokes the token of a code that is presented again', async () => {
  const code = await newCode()
  const { access_token } = await tokensOf(await present(code))
  expect(await isActive(system, access_token)).toBe(true)
  await expectRefusal(await present(code), 400, 'invalid_grant')
  expect(await introspectionOf(system, access_token)).toBe('{"active":false}')
  await expectRefusal(await present(code), 400, 'invalid_grant')
})

test('revokes nothing on a replay without client authentication', async () => {
  const code = await newCode()
  const { access_token } = await tokensOf(await present(code))
  await expectRefusal(await present(code, { client_secret: 'wrong' }), 401, 'invalid_client')
  await expectRefusal(await redeem(system, credentialsOf(other), code), 400, 'invalid_grant')
  await expectRefusal(await redeem(system, {}, code), 401, 'invalid_client')
  expect(await isActive(system, access_token)).toBe(true)
})

describe('a code stays valid after', () => {
  const wrong: [string, (code: Code) => Promise<Response>, number, string][] = [
    ['a wrong secret', (code) => present(code, { client_secret: 'wrong' }), 401, 'invalid_client'],
    [
      'a wrong secret by Basic',
      ({ code, code_verifier }) =>
        system.form(
          '/oauth/token',
          { grant_type: 'authorization_code', code, code_verifier },
          basic(client.client_id, 'wrong'),
        ),
      401,
      'invalid_client',
    ],
    ['no secret', (code) => redeem(system, { client_id: client.client_id }, code), 401, 'invalid_client'],
    ['another client', (code) => redeem(system, credentialsOf(other), code), 400, 'invalid_grant'],
    ['another verifier', (code) => present(code, { code_verifier: pkce().verifier }), 400, 'invalid_grant'],
    [
      'the challenge for a verifier',
      (code) => present(code, { code_verifier: digestOf(code.code_verifier).toString('base64url') }),
      400,
      'invalid_grant',
    ],
    [
      'a verifier of 42 characters',
      (code) => present(code, { code_verifier: code.code_verifier.slice(0, 42) }),
      400,
      'invalid_grant',
    ],
    [
      'a verifier of 129 characters',
      (code) => present(code, { code_verifier: 'a'.repeat(129) }),
      400,
      'invalid_grant',
    ],
    [
      'a verifier with a line break after it',
      (code) => present(code, { code_verifier: `${code.code_verifier}\n` }),
      400,
      'invalid_grant',
    ],
    ['no verifier', (code) => present(code, { code_verifier: '' }), 400, 'invalid_request'],
    [
      'another redirect URI',
      (code) => present(code, { redirect_uri: `${redirectUri}/` }),
      400,
      'invalid_grant',
    ],
    [
      'a redirect URI that PostgreSQL cannot store',
      (code) => present(code, { redirect_uri: '\u{10FFFF}'.repeat(1_000) }),
      400,
      'invalid_grant',
    ],
    [
      'the code twice in one form',
      ({ code }) =>
        system.request('/oauth/token', {
          method: 'POST',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: `grant_type=authorization_code&code=${code}&code=${code}`,
        }),
      400,
      'invalid_request',
    ],
  ]
  test.each(wrong)('%s', async (_, attempt, status, error) => {
    const code = await newCode()
    await expectRefusal(await attempt(code), status, error)
    expect(await isActive(system, (await tokensOf(await present(code))).access_token)).toBe(true)
  })
})

test.each(named(['', 'unknown', 'a'.repeat(43), 'a'.repeat(60_000), "' or 1=1 --", '\u{1F511}'.repeat(11)]))(
  'refuses the code %s',
  async (_, code) => {
    const response = await present({ code, code_verifier: pkce().verifier })
    await expectRefusal(response, 400, code === '' ? 'invalid_request' : 'invalid_grant')
  },
)

test('refuses an expired code, by the database’s clock', async () => {
  const code = await newCode()
  const sql = 'update token.authorization_codes set expires_at = now() where code_digest = $1'
  await query(system, sql, [digestOf(code.code)])
  await expectRefusal(await present(code), 400, 'invalid_grant')
})

test('stores only the digest of a code', async () => {
  const { code, code_verifier } = await newCode()
  const [row] = await query(
    system,
    'select c::text as row from token.authorization_codes c where code_digest = $1',
    [digestOf(code)],
  )
  expect(row?.row).toContain(client.client_id)
  for (const secret of [code, code_verifier]) expect(row?.row).not.toContain(secret.slice(0, 12))
})

test('revokes codes and tokens at once when the consent is withdrawn', async () => {
  const leaving = await addPerson(system)
  const { access_token } = await tokensOf(await present(await codeFor(system, leaving, client)))
  const code = await codeFor(system, leaving, client)
  await submit(system, leaving.jar, '/account/apps/withdraw', { client_id: client.client_id })
  expect(await isActive(system, access_token)).toBe(false)
  await expectRefusal(await present(code), 400, 'invalid_grant')
  // The user may consent again; only tokens issued from then on are active.
  const anew = await tokensOf(await present(await codeFor(system, leaving, client)))
  expect(await isActive(system, anew.access_token)).toBe(true)
  expect(await isActive(system, access_token)).toBe(false)
})

describe('with refresh tokens disabled', () => {
  test('issues none, and answers unsupported_grant_type to every caller', async () => {
    const tokens = await tokensOf(await present(await newCode()))
    expect(tokens).not.toHaveProperty('refresh_token')
    expect(await query(system, 'select from token.refresh_tokens')).toEqual([])
    for (const credentials of [credentialsOf(client), {}]) {
      for (const grantType of ['refresh_token', 'password']) {
        const form = { grant_type: grantType, refresh_token: 'a'.repeat(43), ...credentials }
        await expectRefusal(await system.form('/oauth/token', form), 400, 'unsupported_grant_type')
      }
    }
  })

  test('shows neither of the two grants nor public clients in discovery', async () => {
    const response = await system.request('/.well-known/oauth-authorization-server')
    expect(await response.json()).toMatchObject({
      grant_types_supported: ['authorization_code', 'client_credentials'],
      token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
      authorization_response_iss_parameter_supported: true,
    })
  })

  test('refuses to register a public client', async () => {
    const metadata = { redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' }
    await expectRefusal(await system.json('/clients/register', metadata), 400, 'invalid_request')
  })
})
