import { randomUUID } from 'node:crypto'
import { readKeySet, readPublicKey } from '@gatehouse/kit/keys/public-key'
import { assertionAlgorithms } from '@gatehouse/proto/algorithms'
import fc from 'fast-check'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, jwtVerify, SignJWT } from 'jose'
import { checkClaims, readAssertion } from '../../../services/token/src/clients/assertions/assertion.ts'
import {
  candidates,
  signingKeyOf,
} from '../../../services/token/src/clients/assertions/assertion-signature.ts'
import { json, texts } from '../inputs.ts'
import { must, target } from '../target.ts'

const now = 1_900_000_000_000
const issuer = 'https://auth.example'
const pairs = await Promise.all(
  (['ES256', 'EdDSA', 'PS256'] as const).map(async (alg) => ({
    alg,
    ...(await generateKeyPair(alg, { extractable: true })),
  })),
)
const jwks = await Promise.all(
  pairs.map(async ({ alg, publicKey }) => ({ ...(await exportJWK(publicKey)), kid: alg })),
)
const known = readKeySet({ keys: jwks }, 10)
must('keys' in known, 'the keys cannot be read')
const claims = {
  ...{ iss: 'client_a', sub: 'client_a', aud: issuer, jti: randomUUID() },
  ...{ iat: now / 1_000, exp: now / 1_000 + 60 },
}
const valid = await Promise.all(
  pairs.map(({ alg, privateKey }) =>
    new SignJWT(claims).setProtectedHeader({ alg, kid: alg, typ: 'JWT' }).sign(privateKey),
  ),
)

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const header = fc.record(
  {
    alg: fc.constantFrom('ES256', 'PS256', 'RS256', 'EdDSA', 'Ed25519', 'HS256', 'none', 7),
    typ: fc.constantFrom('JWT', 'jwt', 'at+jwt', 'client-authentication+jwt', null),
    kid: fc.constantFrom('ES256', 'PS256', 'other', '', 7),
    crit: fc.constant(['b64']),
    jwk: fc.constantFrom(...jwks),
  },
  { requiredKeys: ['alg'] },
)
const forged = fc
  .tuple(header, fc.oneof(fc.constant(claims), json(2)), fc.constantFrom(...valid))
  .map(([head, content, token]) => `${encode(head)}.${encode(content)}.${token.split('.')[2]}`)
const pieces = valid.flatMap((token) => token.split('.')).concat('.', '..', 'eyJhbGciOiJub25lIn0', '=')

/** Whether a library takes an assertion. */
async function joseAccepts(text: string): Promise<boolean> {
  const rules = {
    issuer: 'client_a',
    subject: 'client_a',
    currentDate: new Date(now),
    requiredClaims: ['jti', 'exp'],
  }
  for (const jwk of jwks) {
    const key = await importJWK(jwk, jwk.kid)
    const verified = await jwtVerify(text, key, { ...rules, algorithms: [...assertionAlgorithms] }).catch(
      () => undefined,
    )
    if (verified) return true
  }
  return false
}

/** Assertions: what we take jose takes. */
const assertions = target({
  name: 'assertion',
  reads: [
    'token/src/clients/assertions/assertion.ts#readAssertion',
    'token/src/clients/assertions/assertion.ts#checkClaims',
    'token/src/clients/assertions/assertion-signature.ts#signingKeyOf',
  ],
  inputs: fc.oneof(texts(pieces, fc.constantFrom(...valid)), forged),
  async check(text) {
    const assertion = readAssertion(text)
    if (assertion === undefined) return must(!valid.includes(text), 'a valid assertion that cannot be read')
    const isValid = typeof checkClaims(assertion, 'client_a', now) !== 'string'
    const isSigned = signingKeyOf(assertion, candidates(assertion, known.keys)) !== undefined
    must(!valid.includes(text) || (isValid && isSigned), 'a valid assertion that is refused')
    if (isValid && isSigned) must(await joseAccepts(text), 'an assertion that jose refuses')
  },
})

const [ecKey = {}] = jwks
const member = fc.oneof(fc.constantFrom(...jwks.flatMap((jwk) => Object.values(jwk))), json(1))
const key = fc
  .tuple(
    fc.constantFrom(...jwks, ecKey),
    fc.dictionary(fc.constantFrom('kty', 'crv', 'x', 'y', 'n', 'e', 'd', 'alg', 'use', 'kid'), member, {
      maxKeys: 2,
    }),
  )
  .map(([jwk, changes]): unknown => ({ ...jwk, ...changes }))

/** Public keys: one that we take is one for jose, with the same thumbprint. */
const publicKeys = target({
  name: 'public-key',
  reads: ['kit/src/keys/public-key.ts#readPublicKey', 'kit/src/keys/public-key.ts#readKeySet'],
  inputs: fc.oneof(key, json(3)),
  async check(jwk) {
    readKeySet(jwk, 10)
    const read = readPublicKey(jwk)
    if (!('key' in read)) return
    const { thumbprint, algorithms } = read.key
    must(algorithms.size > 0, 'a key without an algorithm')
    const [algorithm = ''] = algorithms
    // Web Crypto converts every member that it knows to text, also those of other types of keys, and fails where that cannot be done.
    const texts = Object.entries(jwk as object).filter(([, value]) => typeof value === 'string')
    const named = Object.fromEntries(texts) as { kty: string }
    await importJWK(named, algorithm)
    const expected = await calculateJwkThumbprint(named)
    must(thumbprint.toString('base64url') === expected, 'another thumbprint')
  },
})

/** The assertions of clients, and their keys. */
export const clientKeyTargets = [assertions, publicKeys]
