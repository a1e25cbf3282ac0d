import { hkdfSync, randomUUIDv7 } from 'node:crypto'
import { makeJwt } from '@gatehouse/test/jwt'
import { type AccessTokenClaims, createAccessTokenSigner } from '../src/access-token.ts'
import { createSigningKeys, type SigningKeyRecord } from '../src/signing-keys.ts'
import type { KeyStoreOfTest } from './key-store.ts'

/** OAUTH2_JWT_SECRET. */
export const secret = 'a secret of at least thirty-two bytes'
const issuer = 'https://auth.example'
/** The claims of a token. */
export const claims: AccessTokenClaims = {
  iss: issuer,
  sub: 'client_a',
  aud: issuer,
  exp: 1_900_003_600,
  iat: 1_900_000_000,
  jti: randomUUIDv7(),
  scope: 'read',
  client_id: 'client_a',
}

/** Starts a replica with a clock of its own; `told` records its calls of `wereRead`. */
export async function start(store: KeyStoreOfTest, { itsSecret = secret } = {}) {
  const told: (SigningKeyRecord | undefined)[] = []
  const replica = { time: 5_000_000 }
  const keys = createSigningKeys({
    secret: itsSecret,
    store,
    longestAccessTokenLifetime: 3600,
    monotonicNow: () => replica.time,
    randomUuid: randomUUIDv7,
    wereRead: (active) => void told.push(active),
  })
  await keys.refresh()
  const signer = createAccessTokenSigner(keys, issuer, issuer)
  const pass = (ms: number) => {
    replica.time += ms
    store.time += ms
  }
  return { keys, signer, told, pass }
}

/** A token's decoded header. */
export const headerOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString())
/** The key of a kid, as anybody with the secret can derive it (RFC 5869). */
export const derived = (kid: string, from = secret) => Buffer.from(hkdfSync('sha256', from, '', kid, 32))
/** A token signed with the derived key of its kid, whether or not the kid exists. */
export const forged = (kid: string, from = secret) =>
  makeJwt({ alg: 'HS256', typ: 'at+jwt', kid }, claims, derived(kid, from))
