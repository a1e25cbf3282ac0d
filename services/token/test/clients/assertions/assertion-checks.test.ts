import { createHmac } from 'node:crypto'
import { readKeySet } from '@gatehouse/kit/keys/public-key'
import { expect, test } from 'vitest'
import { readAssertion } from '../../../src/clients/assertions/assertion.ts'
import { candidates, signingKeyOf } from '../../../src/clients/assertions/assertion-signature.ts'
import type { Client, Presented } from '../../../src/clients/client-authentication.ts'
import type { AuthenticationEndpoint } from '../../../src/clients/client-authentication-failure.ts'
import { authenticateClient, identifyClient } from '../../../src/clients/sender.ts'
import { anyMethod, findAmong, kept, publicClient, someClient } from '../clients.ts'
import {
  assertionOf,
  clientKey,
  issuer,
  keyedClient,
  keySetOf,
  presentingAssertion,
  signed,
  validClaims,
} from './signed.ts'

const now = 1_900_000_000_000
const seconds = now / 1_000
const key = clientKey('ES256')
const client = keyedClient([key])

type Changes = { endpoint?: AuthenticationEndpoint; clientAuthMethods?: ReadonlySet<string> }

const authenticate = (presented: Presented, from: Client = client, changes: Changes = {}) =>
  authenticateClient(presented, { ...anyMethod, findClient: findAmong([from]), now: () => now, ...changes })

const judged = (assertion: string, from: Client = client, changes: Changes = {}) =>
  authenticate(presentingAssertion(assertion), from, changes).then(
    () => 'valid',
    (error) => error.failed?.reason ?? error.code,
  )

const withClaims = (claims: object) => assertionOf(key, { now, claims })
const withHeader = (header: object) => assertionOf(key, { now, header })

test.each(['ES256', 'PS256', 'EdDSA', 'Ed25519', 'RS256'] as const)('%s authenticates', async (algorithm) => {
  const own = clientKey(algorithm)
  expect(await judged(assertionOf(own, { now }), keyedClient([own]))).toBe('valid')
  expect(await judged(assertionOf(clientKey(algorithm), { now }), keyedClient([own]))).toBe('wrong_assertion')
  const metadata = { token_endpoint_auth_signing_alg: algorithm }
  expect(await judged(assertionOf(own, { now }), keyedClient([own], { metadata }))).toBe('valid')
})

test('gives the client and its proof, whose digest depends on client and jti alone', async () => {
  const assertion = withClaims({ jti: 'one' })
  const { client: found, proof } = await authenticate(presentingAssertion(assertion))
  expect(found).toBe(client)
  expect(proof).toMatchObject({ clientId: 'client_a', expiresAt: seconds + 60 })
  const digest = async (claims: object) =>
    Buffer.from((await authenticate(presentingAssertion(withClaims(claims)))).proof?.digest ?? []).toString(
      'hex',
    )
  expect(await digest({ jti: 'one', iat: seconds - 5 })).toBe(
    Buffer.from(proof?.digest ?? []).toString('hex'),
  )
  expect(await digest({ jti: 'two' })).not.toBe(Buffer.from(proof?.digest ?? []).toString('hex'))
})

test.each<[what: string, claims: object, result: string]>([
  ['no iss', { iss: undefined }, 'wrong_assertion'],
  ['another iss', { iss: 'client_b' }, 'wrong_assertion'],
  ['no sub', { sub: undefined }, 'wrong_assertion'],
  ['another sub', { sub: 'client_b' }, 'wrong_assertion'],
  ['iss and sub of another', { iss: 'client_b', sub: 'client_b' }, 'wrong_assertion'],
  ['no aud', { aud: undefined }, 'wrong_assertion'],
  ['the issuer in a list', { aud: [issuer] }, 'valid'],
  ['an empty list', { aud: [] }, 'wrong_assertion'],
  ['the issuer twice', { aud: [issuer, issuer] }, 'wrong_assertion'],
  ['the issuer among others', { aud: [issuer, 'https://other.example'] }, 'wrong_assertion'],
  ['the issuer with a slash', { aud: `${issuer}/` }, 'wrong_assertion'],
  ['the token endpoint', { aud: `${issuer}/oauth/token` }, 'wrong_assertion'],
  ['an aud that is no text', { aud: { [issuer]: true } }, 'wrong_assertion'],
  ['a list with more than texts', { aud: [issuer, 7] }, 'wrong_assertion'],
  ['no exp', { exp: undefined }, 'wrong_assertion'],
  ['an exp that is a text', { exp: String(seconds + 60) }, 'wrong_assertion'],
  ['an exp that is null', { exp: null }, 'wrong_assertion'],
  ['an exp within the skew', { exp: seconds - 9 }, 'valid'],
  ['an exp that is past', { exp: seconds - 10 }, 'expired_assertion'],
  ['an exp five minutes past', { exp: seconds - 300 }, 'expired_assertion'],
  ['the latest exp', { exp: seconds + 310 }, 'valid'],
  ['an exp too far ahead', { exp: seconds + 311 }, 'expired_assertion'],
  ['neither nbf nor iat', { iat: undefined, nbf: undefined }, 'valid'],
  ['nbf and iat 8 s ahead', { iat: seconds + 8, nbf: seconds + 8 }, 'valid'],
  ['an iat 60 s ahead', { iat: seconds + 60 }, 'expired_assertion'],
  ['an nbf 60 s ahead', { nbf: seconds + 60 }, 'expired_assertion'],
  ['an old iat', { iat: seconds - 86_400 }, 'valid'],
  ['an iat that is a text', { iat: String(seconds) }, 'wrong_assertion'],
  ['no jti', { jti: undefined }, 'wrong_assertion'],
  ['an empty jti', { jti: '' }, 'wrong_assertion'],
  ['a jti that is a number', { jti: 7 }, 'wrong_assertion'],
  ['a jti of 256 characters', { jti: 'j'.repeat(256) }, 'valid'],
  ['a longer jti', { jti: 'j'.repeat(257) }, 'wrong_assertion'],
  ['claims that nobody knows', { sth: [1] }, 'valid'],
])('an assertion with %s', async (_, claims, result) => {
  expect(await judged(withClaims(claims))).toBe(result)
})

test.each<[what: string, header: object, result: string]>([
  ['the type JWT', { typ: 'JWT' }, 'valid'],
  ['the type jwt', { typ: 'jwt' }, 'valid'],
  ['the type of RFC 10070', { typ: 'client-authentication+jwt' }, 'valid'],
  ['the type of an access token', { typ: 'at+jwt' }, 'wrong_assertion'],
  ['the type of a logout token', { typ: 'logout+jwt' }, 'wrong_assertion'],
  ['the type of a DPoP proof', { typ: 'dpop+jwt' }, 'wrong_assertion'],
  ['the type of a request object', { typ: 'oauth-authz-req+jwt' }, 'wrong_assertion'],
  ['a type that is no text', { typ: ['JWT'] }, 'wrong_assertion'],
  ['no algorithm', { alg: undefined }, 'wrong_assertion'],
  ['the algorithm none', { alg: 'none' }, 'wrong_assertion'],
  ['HS256', { alg: 'HS256' }, 'wrong_assertion'],
  ['another algorithm than it was signed with', { alg: 'EdDSA' }, 'wrong_assertion'],
  ['something critical', { crit: ['b64'], b64: true }, 'wrong_assertion'],
  ['a kid that nobody has', { kid: 'other' }, 'valid'],
  ['a kid that is no text', { kid: 7 }, 'wrong_assertion'],
])('an assertion with %s in its header', async (_, header, result) => {
  expect(await judged(withHeader(header))).toBe(result)
})

test('a key in the header does not count, nor one at an address in it', async () => {
  const foreign = clientKey('ES256')
  const header = { jwk: foreign.jwk, jku: 'https://evil.example/jwks', x5u: 'https://evil.example/x5u' }
  expect(await judged(assertionOf(foreign, { now, header }))).toBe('wrong_assertion')
})

test('a public key does not count as the secret of an HMAC', async () => {
  const input = `${Buffer.from('{"alg":"HS256"}').toString('base64url')}.${Buffer.from(JSON.stringify(validClaims(now))).toString('base64url')}`
  const rsa = clientKey('RS256')
  const mac = createHmac('sha256', JSON.stringify(rsa.jwk)).update(input).digest('base64url')
  expect(await judged(`${input}.${mac}`, keyedClient([rsa]))).toBe('wrong_assertion')
})

const whole = assertionOf(key, { now })
test.each<[what: string, assertion: string]>([
  ['an empty text', ''],
  ['two parts', whole.split('.').slice(0, 2).join('.')],
  ['four parts', `${whole}.x`],
  ['no signature', `${whole.split('.').slice(0, 2).join('.')}.`],
  ['a signature that was cut', whole.slice(0, -4)],
  [
    'other claims than those that were signed',
    `${whole.split('.')[0]}.${Buffer.from(JSON.stringify(validClaims(now))).toString('base64url')}.${whole.split('.')[2]}`,
  ],
  ['characters of base64', whole.replace(/.$/, '+')],
  ['claims that are a list', signed(key, '[]', { alg: 'ES256' })],
  ['claims that are no JSON', signed(key, '{', { alg: 'ES256' })],
  ['a header that is a text', signed(key, validClaims(now), '"ES256"')],
  ['more than 8 KB', withClaims({ padding: 'p'.repeat(8_192) })],
])('%s is no assertion', async (_, assertion) => {
  expect(await judged(assertion)).toBe('wrong_assertion')
})

test.each<[rule: object, endpoint: AuthenticationEndpoint, aud: unknown, result: string]>([
  [{}, 'introspection', `${issuer}/oauth/introspect`, 'wrong_assertion'],
  [{ assertion_audience: 'issuer' }, 'token', `${issuer}/oauth/token`, 'wrong_assertion'],
  [{ assertion_audience: 'token_endpoint_too' }, 'token', issuer, 'valid'],
  [{ assertion_audience: 'token_endpoint_too' }, 'token', `${issuer}/oauth/token`, 'valid'],
  [{ assertion_audience: 'token_endpoint_too' }, 'token', [`${issuer}/oauth/token`, issuer], 'valid'],
  [{ assertion_audience: 'token_endpoint_too' }, 'token', `${issuer}/oauth/introspect`, 'wrong_assertion'],
  [{ assertion_audience: 'token_endpoint_too' }, 'introspection', `${issuer}/oauth/introspect`, 'valid'],
  [{ assertion_audience: 'token_endpoint_too' }, 'revocation', `${issuer}/oauth/token`, 'valid'],
  [{ assertion_audience: 'token_endpoint_too' }, 'revocation', 'https://other.example', 'wrong_assertion'],
])('with %j at the %s endpoint, the audience %j', async (metadata, endpoint, aud, result) => {
  expect(await judged(withClaims({ aud }), keyedClient([key], { metadata }), { endpoint })).toBe(result)
})

test('only the registered algorithm counts, where there is one', async () => {
  const rsa = clientKey('RS256')
  const metadata = { token_endpoint_auth_signing_alg: 'PS256' } as const
  const own = keyedClient([rsa], { metadata })
  expect(await judged(assertionOf(rsa, { now }), own)).toBe('wrong_assertion')
  expect(await judged(assertionOf({ ...rsa, algorithm: 'PS256' }, { now }), own)).toBe('valid')
  const edwards = clientKey('EdDSA')
  const named = keyedClient([edwards], { metadata: { token_endpoint_auth_signing_alg: 'Ed25519' } })
  expect(await judged(assertionOf(edwards, { now }), named)).toBe('valid')
})

test('finds the key by its kid, and without one by its algorithm, among ten at most', async () => {
  const named = clientKey('ES256', { kid: 'a' })
  const sameKid = clientKey('ES256', { kid: 'a' })
  const nameless = clientKey('ES256')
  const own = keyedClient([named, sameKid, nameless])
  const result = (one: typeof named, kid?: string) => judged(assertionOf(one, { now, header: { kid } }), own)
  expect(await result(named, 'a')).toBe('valid')
  expect(await result(sameKid, 'a')).toBe('valid')
  expect(await result(named)).toBe('valid')
  expect(await result(nameless, 'b')).toBe('valid')
  expect(await result(named, 'b')).toBe('wrong_assertion')
  const many = Array.from({ length: 12 }, () => clientKey('ES256'))
  const read = readKeySet(keySetOf(...many), 12)
  const keys = 'keys' in read ? read.keys : []
  const isTried = (one: typeof named) => {
    const assertion = readAssertion(assertionOf(one, { now }))
    return assertion && signingKeyOf(assertion, candidates(assertion, keys)) !== undefined
  }
  expect(many.map(isTried)).toEqual(many.map((_, index) => index < 10))
})

test('a key counts for the algorithm that it names, and not for encryption', async () => {
  const rsa = clientKey('RS256', { alg: 'PS256' })
  expect(await judged(assertionOf(rsa, { now }), keyedClient([rsa]))).toBe('wrong_assertion')
  const encrypting = clientKey('RS256', { use: 'enc' })
  expect(await judged(assertionOf(encrypting, { now }), keyedClient([encrypting]))).toBe('wrong_assertion')
})

test.each<[what: string, from: Client, presented: Presented, reason: string]>([
  [
    'its secret, where it registered keys',
    keyedClient([key], { secrets: [kept('right')] }),
    { credentials: [{ clientId: 'client_a', clientSecret: 'right' }] },
    'no_assertion',
  ],
  [
    'nothing, where it registered keys',
    client,
    { credentials: [{ clientId: 'client_a', clientSecret: '' }] },
    'no_assertion',
  ],
  [
    'an assertion, where it registered a secret',
    someClient({ metadata: { jwks: keySetOf(key) } }),
    presentingAssertion(whole),
    'no_secret',
  ],
  [
    'an assertion, where it is public',
    publicClient({ metadata: { jwks: keySetOf(key) } }),
    presentingAssertion(whole),
    'public_client',
  ],
  ['an assertion without keys', keyedClient([]), presentingAssertion(whole), 'wrong_assertion'],
  [
    'an assertion with keys that cannot be read',
    keyedClient([], { metadata: { jwks: { keys: [{ kty: 'oct', k: 'AAAA' }] } } }),
    presentingAssertion(whole),
    'wrong_assertion',
  ],
  [
    'an assertion while it is disabled',
    keyedClient([key], { disabled: true }),
    presentingAssertion(whole),
    'disabled',
  ],
])('a client does not authenticate by %s', async (_, from, presented, reason) => {
  const deps = { ...anyMethod, findClient: findAmong([from]), now: () => now, publicClientsEnabled: true }
  for (const attempt of [authenticateClient(presented, deps), identifyClient(presented, deps)])
    await expect(attempt).rejects.toMatchObject({
      ...{ code: 'invalid_client', failed: { clientId: 'client_a', reason } },
      description: expect.not.stringContaining('client_a'),
    })
})

test('nobody learns whether the client exists', async () => {
  const assertion = assertionOf(key, { now, clientId: 'client_x' })
  await expect(authenticate(presentingAssertion(assertion, 'client_x'))).rejects.toMatchObject({
    ...{ code: 'invalid_client', failed: undefined },
    description: 'The client is unknown or its credentials are wrong.',
  })
  await expect(authenticate({ ...presentingAssertion(whole), credentials: [] })).rejects.toMatchObject({
    ...{ code: 'invalid_client', failed: undefined },
  })
})

test.each<[what: string, changes: Partial<Presented>]>([
  ['a secret too', { credentials: [{ clientId: 'client_a', clientSecret: 'right' }] }],
  ['a token too', { token: { token: 'x', scheme: 'bearer' } }],
  ['no type', { assertionType: undefined }],
  ['another type', { assertionType: 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer' }],
  ['the type alone', { assertion: undefined }],
  ['the type alone and nobody named', { assertion: undefined, credentials: [] }],
])('a request with an assertion and %s is malformed', async (_, changes) => {
  const presented = { ...presentingAssertion(whole), ...changes }
  await expect(authenticate(presented)).rejects.toMatchObject({ code: 'invalid_request' })
})

test('a method that is switched off proves nothing, and its clients are not asked for keys', async () => {
  const methods = new Set(['client_secret_basic'])
  const off = { clientAuthMethods: methods }
  expect(await judged(whole, client, off)).toBe('method_off')
  expect(await judged(withClaims({ exp: 1 }), client, off)).toBe('method_off')
  const post = someClient({ tokenEndpointAuthMethod: 'client_secret_post' })
  const secret = { credentials: [{ clientId: 'client_a', clientSecret: 'right' }] }
  await expect(authenticate(secret, post, off)).rejects.toMatchObject({ failed: { reason: 'method_off' } })
  expect((await authenticate(secret, someClient(), off)).client.clientId).toBe('client_a')
  const deps = { ...anyMethod, ...off, findClient: findAmong([publicClient()]), now: () => now }
  const named = identifyClient(
    { credentials: [{ clientId: 'client_public', clientSecret: '' }] },
    { ...deps, publicClientsEnabled: true },
  )
  // Public clients are switched by a variable of their own.
  await expect(named).rejects.toMatchObject({ failed: undefined })
  const isPublic = identifyClient(
    { credentials: [{ clientId: 'client_a', clientSecret: '' }] },
    { ...deps, publicClientsEnabled: true },
  )
  expect((await isPublic).client.clientId).toBe('client_a')
})

test('notes which key was used, by its thumbprint', async () => {
  const used: string[] = []
  const deps = {
    ...{ ...anyMethod, findClient: findAmong([client]), now: () => now },
    noteKeyUse: (clientId: string, thumbprint: Uint8Array) =>
      void used.push(`${clientId} ${Buffer.from(thumbprint).toString('base64url')}`),
  }
  await authenticateClient(presentingAssertion(whole), deps)
  expect(used).toEqual([expect.stringMatching(/^client_a [\w-]{43}$/)])
  await expect(authenticateClient(presentingAssertion(withClaims({ exp: 1 })), deps)).rejects.toThrow()
  expect(used).toHaveLength(1)
})
