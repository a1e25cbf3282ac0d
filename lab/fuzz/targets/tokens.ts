import { randomUUIDv7, verify } from 'node:crypto'
import fc from 'fast-check'
import { compactVerify, importJWK } from 'jose'
import { readOpenidRequest } from '../../../services/token/src/authorization/openid-request.ts'
import { grantScope, scopeWords } from '../../../services/token/src/clients/scope.ts'
import { fromJoseSignature } from '../../../services/token/src/keys/ecdsa-signature.ts'
import { createJwtSigner } from '../../../services/token/src/keys/jwt.ts'
import { createKeyEncryption } from '../../../services/token/src/keys/key-encryption.ts'
import { createKeyPair, generatePrivateKey } from '../../../services/token/src/keys/key-pair.ts'
import { headerOf, readHeader } from '../../../services/token/src/keys/signing-key.ts'
import { createSigningKeys, type SigningKeyRecord } from '../../../services/token/src/keys/signing-keys.ts'
import { readClaimsRequest } from '../../../services/token/src/openid/claims-request.ts'
import {
  type AccessTokenClaims,
  createAccessTokenSigner,
} from '../../../services/token/src/tokens/access-token.ts'
import { json, texts } from '../inputs.ts'
import { must, target, unlessRefused, unlessRefusedLater } from '../target.ts'

const secret = 'a secret of at least thirty-two bytes'
const issuer = 'https://auth.example'
const claims: AccessTokenClaims = {
  ...{ iss: issuer, sub: 'client_a', aud: issuer, exp: 1_900_003_600, iat: 1_900_000_000 },
  ...{ jti: randomUUIDv7(), scope: 'read', client_id: 'client_a' },
}
const encryption = createKeyEncryption(secret)
const privateKey = await generatePrivateKey('ES256')
const pair = await createKeyPair('ES256', privateKey)
const active = {
  ...{ state: 'active' as const, createdAt: new Date(0), activatesAt: undefined, isDue: false },
  ...{ verifiesUntil: undefined, verifiesFor: Number.POSITIVE_INFINITY },
}
const records: SigningKeyRecord[] = [
  { ...active, kid: 'default', algorithm: 'HS256', encryptedKey: undefined },
  {
    ...{ ...active, kid: pair.kid, algorithm: 'ES256' },
    encryptedKey: encryption.encrypt(privateKey, { kid: pair.kid, algorithm: 'ES256' }),
  },
]
const keys = createSigningKeys({
  ...{ secret, encryption, store: { list: async () => records } },
  monotonicNow: () => performance.now(),
  sleep: async () => undefined,
  wereRead: () => undefined,
})
await keys.refresh()
const jwts = createJwtSigner(keys)
const signers = (['ES256', 'HS256'] as const).map((algorithm) =>
  createAccessTokenSigner(keys, { algorithm, issuer, audience: issuer }),
)
const valid = [
  ...(await Promise.all(signers.map((signer) => signer.sign(claims)))),
  await jwts.signJwt({ algorithm: 'ES256', type: 'JWT', claims: { iss: issuer, sub: 'u', aud: 'c' } }),
]
const published = await importJWK(pair.publicJwk, 'ES256')

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const header = fc.record(
  {
    alg: fc.constantFrom('ES256', 'HS256', 'none', 'RS256', 'EdDSA', 'es256'),
    typ: fc.constantFrom('at+jwt', 'JWT', 'logout+jwt', 'application/at+jwt'),
    kid: fc.constantFrom(pair.kid, 'default', randomUUIDv7(), '', '../../etc/passwd'),
    crit: fc.constant(['b64']),
    jwk: fc.constant(pair.publicJwk),
  },
  { requiredKeys: ['alg'] },
)
const forged = fc
  .tuple(header, fc.oneof(fc.constant(claims), json(2)), fc.constantFrom(...valid))
  .map(([head, content, token]) => `${encode(head)}.${encode(content)}.${token.split('.')[2]}`)
const pieces = valid.flatMap((token) => token.split('.')).concat('.', '..', 'eyJhbGciOiJub25lIn0', '=')

/** The verdict of jose on a token: whether a key of ours signed it. */
async function joseAccepts(token: string): Promise<boolean> {
  for (const key of [published, Buffer.from(secret)]) {
    try {
      await compactVerify(token, key)
      return true
    } catch {
      // Not with this key.
    }
  }
  return false
}

/** Tokens: what we take jose takes, and it is one of those that we signed, letter by letter. */
const tokens = target({
  name: 'jwt',
  reads: [
    'token/src/tokens/access-token.ts#createAccessTokenSigner',
    'token/src/keys/jwt.ts#createJwtSigner',
    'token/src/keys/signing-key.ts#readHeader',
    'token/src/keys/signing-keys.ts#find',
  ],
  inputs: fc.oneof(texts(pieces, fc.constantFrom(...valid)), forged),
  async check(token) {
    readHeader(headerOf(token))
    const asAccessToken = await signers[0]?.verify(token)
    const [asHint, asLogout] = [
      await jwts.verifyJwt(token, { type: 'JWT' }),
      await jwts.verifyJwt(token, { type: 'logout+jwt' }),
    ]
    await jwts.namesUnknownKey(token, { type: 'JWT' })
    const taken = [asAccessToken, asHint, asLogout].filter((one) => one !== undefined)
    must(taken.length <= 1, 'a token of two types')
    must((taken.length === 1) === valid.includes(token), 'a token that was not signed here, or one that was')
    if (taken.length === 1) must(await joseAccepts(token), 'a token that jose refuses')
  },
})

/** Signatures of ES256: the two forms of a signature say the same to OpenSSL. */
const signatures = target({
  name: 'es256-signature',
  reads: ['token/src/keys/ecdsa-signature.ts#fromJoseSignature'],
  inputs: fc
    .array(fc.oneof(fc.constantFrom(0, 0, 1, 127, 128, 255), fc.nat(255)), { minLength: 60, maxLength: 66 })
    .map((bytes) => (bytes[0] === 1 ? [...Buffer.from(valid[0]?.split('.')[2] ?? '', 'base64url')] : bytes)),
  check(bytes) {
    const signature = Buffer.from(bytes)
    const der = fromJoseSignature(signature)
    must((der === undefined) === (signature.length !== 64), 'another length')
    if (der === undefined) return
    const input = Buffer.from((valid[0] ?? '').split('.').slice(0, 2).join('.'))
    const key = { key: pair.publicJwk, format: 'jwk' } as const
    const same = verify('sha256', input, { ...key, dsaEncoding: 'ieee-p1363' }, signature)
    must(verify('sha256', input, key, der) === same, 'the two forms differ')
  },
})

const claimsPieces = [
  '{',
  '}',
  '"userinfo"',
  '"id_token"',
  ':',
  'null',
  '[',
  ']',
  '{"essential":true}',
  ',',
  '"acr"',
]
const claimsTexts = texts(
  claimsPieces,
  fc.record({ userinfo: json(2), id_token: json(2) }).map((value) => JSON.stringify(value)),
)

/** The parameter claims. */
const claimsRequests = target({
  name: 'claims',
  reads: ['token/src/openid/claims-request.ts#readClaimsRequest'],
  inputs: claimsTexts,
  check(text) {
    const request = unlessRefused(() => readClaimsRequest(text))
    if (request === undefined) return
    const sent = JSON.parse(text)
    for (const [name, requested] of Object.entries(request)) {
      must(name === 'userinfo' || name === 'id_token', 'another member')
      must(JSON.stringify(requested) === JSON.stringify(sent[name] ?? {}), 'other claims than were sent')
    }
  },
})

const word = texts(
  ['none', 'login', 'consent', ' ', 'select_account', '1', '-1', '9999999999'],
  fc.constant('login'),
)

/** The parameters of OpenID Connect in an authorization request. */
const openid = target({
  name: 'openid-request',
  reads: [
    'token/src/authorization/openid-request.ts#readOpenidRequest',
    'token/src/openid/authentication-context.ts#demandedContext',
  ],
  inputs: fc.record(
    {
      ...{ prompt: word, max_age: word, nonce: word, login_hint: word, ui_locales: word, acr_values: word },
      ...{
        response_mode: fc.constantFrom('query', 'fragment', 'form_post'),
        id_token_hint: word,
        claims: claimsTexts,
      },
    },
    { requiredKeys: [] },
  ),
  async check(sent) {
    const readHint = async (hint: string) => (hint === 'login' ? { userId: 'u', clientId: 'c' } : undefined)
    const request = await unlessRefusedLater(() => readOpenidRequest(sent, { readHint, formPost: true }))
    if (request === undefined) return
    must(!(request.prompt.includes('none') && request.prompt.length > 1), 'the prompt none with others')
    must(
      request.maxAge === undefined || (request.maxAge >= 0 && request.maxAge < 1e9),
      'no number of seconds',
    )
    must((request.loginHint ?? '').length <= 200 && (request.uiLocales ?? '').length <= 200, 'a long hint')
  },
})

/** Scopes: never more than may be had. */
const scopes = target({
  name: 'scope',
  reads: ['token/src/clients/scope.ts#scopeWords', 'token/src/clients/scope.ts#grantScope'],
  inputs: texts(
    ['read', 'write', ' ', '  ', 'admin', '"', '\\'],
    fc.constantFrom('read', 'read write', 'write read'),
  ),
  check(requested) {
    const words = unlessRefused(() => scopeWords(requested))
    if (words)
      must(
        words.every((one) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(one)),
        'a word with other characters',
      )
    const granted = unlessRefused(() => grantScope(requested, 'read write'))
    if (granted === undefined) return
    must(/^(read|write|read write|write read)$/.test(granted), 'more than may be had')
    must(requested === '' || words?.join(' ') === granted, 'another scope than requested')
  },
})

/** Targets of tokens and of the parameters of authorization requests. */
export const tokenTargets = [tokens, signatures, claimsRequests, openid, scopes]
