import { constants, generateKeyPairSync, type KeyObject, randomUUID, sign as signBytes } from 'node:crypto'
import type { AssertionAlgorithm } from '@gatehouse/proto/algorithms'
import { jwtBearerAssertion } from '@gatehouse/proto/client-authentication'
import type { KeySet } from '@gatehouse/proto/client-columns'
import type { Client } from '../../../src/clients/client-authentication.ts'
import { someClient } from '../clients.ts'

/** The issuer for which assertions are. */
export const issuer = 'https://auth.example'

/** A key of a client. */
export type ClientKey = {
  algorithm: AssertionAlgorithm
  privateKey: KeyObject
  /** The public key. */
  jwk: Record<string, string>
}

const generators: Record<AssertionAlgorithm, () => { privateKey: KeyObject; publicKey: KeyObject }> = {
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: () => generateKeyPairSync('ed25519'),
  Ed25519: () => generateKeyPairSync('ed25519'),
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  PS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
}

/** Makes a key. @param members of its public JWK, besides those of the key */
export function clientKey(
  algorithm: AssertionAlgorithm = 'ES256',
  members: Record<string, string> = {},
): ClientKey {
  const { privateKey, publicKey } = generators[algorithm]()
  const jwk = { ...(publicKey.export({ format: 'jwk' }) as Record<string, string>), ...members }
  return { algorithm, privateKey, jwk }
}

/** The key set of keys. */
export const keySetOf = (...keys: ClientKey[]): KeySet => ({ keys: keys.map(({ jwk }) => jwk) })

/** A client of private_key_jwt with these keys, which acts for itself. */
export function keyedClient(keys: readonly ClientKey[], changes: Partial<Client> = {}): Client {
  const { metadata, ...others } = changes
  return someClient({
    ...{ tokenEndpointAuthMethod: 'private_key_jwt', secrets: [] },
    ...others,
    metadata: { jwks: keySetOf(...keys), ...metadata },
  })
}

/** The claims of a valid assertion. @param now milliseconds since the Unix epoch */
export function validClaims(now: number, clientId = 'client_a') {
  const seconds = Math.floor(now / 1_000)
  return {
    iss: clientId,
    sub: clientId,
    aud: issuer,
    jti: randomUUID() as string,
    iat: seconds,
    exp: seconds + 60,
  }
}

const encoded = (part: unknown) =>
  Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url')

/** Signs header and claims as they are. A text is taken as the JSON. */
export function signed({ algorithm, privateKey }: ClientKey, claims: unknown, header: unknown): string {
  const input = `${encoded(header)}.${encoded(claims)}`
  const key = {
    ES256: { key: privateKey, dsaEncoding: 'ieee-p1363' as const },
    EdDSA: privateKey,
    Ed25519: privateKey,
    RS256: privateKey,
    PS256: { key: privateKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 },
  }[algorithm]
  const digest = algorithm.startsWith('Ed') ? null : 'sha256'
  return `${input}.${signBytes(digest, Buffer.from(input), key).toString('base64url')}`
}

/** A valid assertion, with some claims and members of its header changed; undefined leaves one out. */
export function assertionOf(
  key: ClientKey,
  {
    claims = {},
    header = {},
    now = Date.now(),
    clientId = 'client_a',
  }: { claims?: object; header?: object; now?: number; clientId?: string } = {},
): string {
  return signed(key, { ...validClaims(now, clientId), ...claims }, { alg: key.algorithm, ...header })
}

/** Everything that a client presents with an assertion. */
export const presentingAssertion = (
  assertion: string,
  clientId = 'client_a',
  attempt: string = randomUUID(),
) => ({
  credentials: [{ clientId, clientSecret: '' }],
  assertion,
  assertionType: jwtBearerAssertion,
  attempt,
})
