import { createHmac, randomUUIDv7 } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type AccessTokenClaims, createAccessTokenSigner } from '../src/access-token.ts'
import { onlyDefault } from './keys.ts'

const secret = 'a secret of at least thirty-two bytes'
const issuer = 'https://auth.example'
const audience = 'https://api.example'
const signer = createAccessTokenSigner(onlyDefault(secret), issuer, audience)

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
/** A token that is signed rightly, whatever it says. */
const forge = (payload: unknown, header: unknown = standardHeader) => {
  const input = `${encode(header)}.${encode(payload)}`
  return `${input}.${hmac(input)}`
}

test('what was signed is verified to the same claims', () => {
  expect(signer.verify(signer.sign(claims))).toEqual(claims)
})

test('a token is what RFC 7515, RFC 7518 and RFC 9068 say: anybody with the secret can check it', () => {
  const [header = '', payload = '', signature, ...rest] = signer.sign(claims).split('.')
  expect(rest).toEqual([])
  expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual(standardHeader)
  expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toEqual(claims)
  expect(signature).toBe(hmac(`${header}.${payload}`))
})

test('a token that is over is still verified: whether it is over is for others to say', () => {
  const over = { ...claims, iat: 1_000, exp: 2_000 }
  expect(signer.verify(signer.sign(over))).toEqual(over)
})

test('another secret, or another issuer, makes a token nobody’s', () => {
  const token = signer.sign(claims)
  expect(createAccessTokenSigner(onlyDefault(`${secret}!`), issuer, audience).verify(token)).toBeUndefined()
  expect(
    createAccessTokenSigner(onlyDefault(secret), issuer, 'https://other.example').verify(token),
  ).toBeUndefined()
  expect(
    createAccessTokenSigner(onlyDefault(secret), 'https://other.example', audience).verify(token),
  ).toBeUndefined()
})

const token = signer.sign(claims)
const [head = '', body = '', signature = ''] = token.split('.')

test.each([
  ['empty', ''],
  ['dots', '..'],
  ['a word', 'token'],
  ['without a signature', `${head}.${body}`],
  ['with an empty signature', `${head}.${body}.`],
  ['with a fourth part', `${token}.`],
  ['with its payload twice', `${head}.${body}.${body}.${signature}`],
  ['with a padded signature', `${token}=`],
  ['with white space around', ` ${token}`],
  ['with white space behind', `${token}\n`],
  ['with a signature of other case', `${head}.${body}.${signature.toUpperCase()}`],
  ['with the signature of another token', `${head}.${encode({ ...claims, scope: 'admin' })}.${signature}`],
  ['longer than any of ours', forge({ ...claims, scope: 'x'.repeat(10_000) })],
])('a token that is %s is not ours', (_, text) => {
  expect(signer.verify(text)).toBeUndefined()
})

test.each([
  ['alg none', { alg: 'none', typ: 'at+jwt' }],
  ['another algorithm', { alg: 'HS512', typ: 'at+jwt' }],
  ['another type', { alg: 'HS256', typ: 'JWT' }],
  ['no type', { alg: 'HS256' }],
  ['a critical extension', { ...standardHeader, crit: ['b64'], b64: false }],
  ['the same header otherwise written', '{"typ":"at+jwt","alg":"HS256"}'],
])('a token with %s in its header is not ours, though its signature is right', (_, header) => {
  expect(signer.verify(forge(claims, header))).toBeUndefined()
  const [h = '', p = ''] = forge(claims, header).split('.')
  expect(signer.verify(`${h}.${p}.`)).toBeUndefined()
})

test.each<[string, unknown]>([
  ['no JSON', 'not json'],
  ['null', null],
  ['an array', [claims]],
  ['a text', JSON.stringify('text')],
  ['no jti', { ...claims, jti: undefined }],
  ['a jti that is no UUIDv7', { ...claims, jti: '00000000-0000-4000-8000-000000000000' }],
  ['a jti in capitals', { ...claims, jti: claims.jti.toUpperCase() }],
  ['a jti with more behind it', { ...claims, jti: `${claims.jti}\n` }],
  ['exp as a text', { ...claims, exp: '1900003600' }],
  ['exp with a fraction', { ...claims, exp: 1_900_003_600.5 }],
  ['exp below zero', { ...claims, exp: -1 }],
  ['exp beyond what a database keeps', { ...claims, exp: 2 ** 53 }],
  ['no iat', { ...claims, iat: undefined }],
  ['no client_id', { ...claims, client_id: undefined }],
  ['scope as a list', { ...claims, scope: ['read'] }],
  ['aud as a list', { ...claims, aud: ['a'] }],
  ['sub as a number', { ...claims, sub: 1 }],
  ['another issuer', { ...claims, iss: `${issuer}/` }],
  ['another audience', { ...claims, aud: 'https://other.example' }],
])('a rightly signed token with %s is not one that we made', (_, payload) => {
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

test('any claims come back as they were', () => {
  fc.assert(
    fc.property(someClaims, (some) => {
      expect(signer.verify(signer.sign(some))).toEqual(some)
    }),
  )
})

test('a token with one character changed, removed or added anywhere is not ours', () => {
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
