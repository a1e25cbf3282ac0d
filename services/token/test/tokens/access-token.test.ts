import { createHmac, randomUUIDv7 } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { AccessTokenClaims } from '../../src/tokens/access-token.ts'
import { defaultSigner } from '../keys/keys.ts'

const secret = 'a secret of at least thirty-two bytes'
const issuer = 'https://auth.example'
const audience = 'https://api.example'
const signer = defaultSigner(secret, issuer, audience)

const claims: AccessTokenClaims = {
  iss: issuer,
  sub: 'client_a',
  aud: audience,
  exp: 1_900_003_600,
  iat: 1_900_000_000,
  jti: randomUUIDv7(),
  scope: 'read write',
  client_id: 'client_a',
}

const encode = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
const hmac = (input: string, key = secret) => createHmac('sha256', key).update(input).digest('base64url')
const standardHeader = { alg: 'HS256', typ: 'at+jwt' }
/** A token with a valid signature, whatever its content. */
const forge = (payload: unknown, header: unknown = standardHeader) => {
  const input = `${encode(header)}.${encode(payload)}`
  return `${input}.${hmac(input)}`
}

test('verifies a signed token and returns the same claims', () => {
  expect(signer.verify(signer.sign(claims))).toEqual(claims)
})

test('signs tokens as in RFC 7515, RFC 7518 and RFC 9068, which anybody with the secret can verify', () => {
  const [header = '', payload = '', signature, ...rest] = signer.sign(claims).split('.')
  expect(rest).toEqual([])
  expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual(standardHeader)
  expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toEqual(claims)
  expect(signature).toBe(hmac(`${header}.${payload}`))
})

test('verifies an expired token too: the caller checks the expiry', () => {
  const expired = { ...claims, iat: 1_000, exp: 2_000 }
  expect(signer.verify(signer.sign(expired))).toEqual(expired)
})

test('rejects a token of another secret, issuer or audience', () => {
  const token = signer.sign(claims)
  expect(defaultSigner(`${secret}!`, issuer, audience).verify(token)).toBeUndefined()
  expect(defaultSigner(secret, issuer, 'https://other.example').verify(token)).toBeUndefined()
  expect(defaultSigner(secret, 'https://other.example', audience).verify(token)).toBeUndefined()
})

const token = signer.sign(claims)
const [head = '', body = '', signature = ''] = token.split('.')

test.each([
  ['empty', ''],
  ['only dots', '..'],
  ['a plain word', 'token'],
  ['without a signature', `${head}.${body}`],
  ['with an empty signature', `${head}.${body}.`],
  ['with a fourth part', `${token}.`],
  ['with its payload twice', `${head}.${body}.${body}.${signature}`],
  ['with a padded signature', `${token}=`],
  ['with white space around', ` ${token}`],
  ['with white space behind', `${token}\n`],
  ['with a signature in upper case', `${head}.${body}.${signature.toUpperCase()}`],
  ['with the signature of another token', `${head}.${encode({ ...claims, scope: 'admin' })}.${signature}`],
  ['longer than any that this server issues', forge({ ...claims, scope: 'x'.repeat(10_000) })],
])('rejects a token that is %s', (_, text) => {
  expect(signer.verify(text)).toBeUndefined()
})

test.each([
  ['alg none', { alg: 'none', typ: 'at+jwt' }],
  ['another algorithm', { alg: 'HS512', typ: 'at+jwt' }],
  ['another type', { alg: 'HS256', typ: 'JWT' }],
  ['no type', { alg: 'HS256' }],
  ['a critical extension', { ...standardHeader, crit: ['b64'], b64: false }],
  ['the same header in another order', '{"typ":"at+jwt","alg":"HS256"}'],
])('rejects a token with %s in its header, even with a valid signature', (_, header) => {
  expect(signer.verify(forge(claims, header))).toBeUndefined()
  const [h = '', p = ''] = forge(claims, header).split('.')
  expect(signer.verify(`${h}.${p}.`)).toBeUndefined()
})

test.each<[string, unknown]>([
  ['content that is not JSON', 'not json'],
  ['null', null],
  ['an array', [claims]],
  ['a text', JSON.stringify('text')],
  ['no jti', { ...claims, jti: undefined }],
  ['a jti that is not a UUIDv7', { ...claims, jti: '00000000-0000-4000-8000-000000000000' }],
  ['a jti in capitals', { ...claims, jti: claims.jti.toUpperCase() }],
  ['a jti with text after it', { ...claims, jti: `${claims.jti}\n` }],
  ['exp as a text', { ...claims, exp: '1900003600' }],
  ['exp with a fraction', { ...claims, exp: 1_900_003_600.5 }],
  ['exp below zero', { ...claims, exp: -1 }],
  ['exp beyond what the database can store', { ...claims, exp: 2 ** 53 }],
  ['no iat', { ...claims, iat: undefined }],
  ['no client_id', { ...claims, client_id: undefined }],
  ['scope as a list', { ...claims, scope: ['read'] }],
  ['aud as a list', { ...claims, aud: ['a'] }],
  ['sub as a number', { ...claims, sub: 1 }],
  ['another issuer', { ...claims, iss: `${issuer}/` }],
  ['another audience', { ...claims, aud: 'https://other.example' }],
])('rejects a validly signed token with %s', (_, payload) => {
  expect(signer.verify(forge(payload))).toBeUndefined()
})

const text = fc.string({ unit: 'grapheme', maxLength: 40 })
const someClaims = fc.record({
  iss: fc.constant(issuer),
  sub: text,
  aud: fc.constant(audience),
  exp: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
  iat: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
  jti: fc.constant(null).map(() => randomUUIDv7()),
  scope: text,
  client_id: text,
})

test('returns any claims unchanged', () => {
  fc.assert(
    fc.property(someClaims, (some) => {
      expect(signer.verify(signer.sign(some))).toEqual(some)
    }),
  )
})

test('rejects a token with one character changed, removed or added', () => {
  const character = fc.constantFrom(...'ABCxyz019-_.=+/ é')
  const change = fc.constantFrom('replace', 'remove', 'insert')
  fc.assert(
    fc.property(someClaims, fc.nat(), change, character, (some, position, how, by) => {
      const genuine = signer.sign(some)
      const at = position % genuine.length
      const rest = genuine.slice(how === 'insert' ? at : at + 1)
      const tampered = genuine.slice(0, at) + (how === 'remove' ? '' : by) + rest
      fc.pre(tampered !== genuine)
      expect(signer.verify(tampered)).toBeUndefined()
    }),
    { numRuns: 500 },
  )
})
