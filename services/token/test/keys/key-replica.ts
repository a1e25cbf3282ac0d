import { hkdfSync, randomUUIDv7 } from 'node:crypto'
import type { Actor } from '@gatehouse/kit/actor'
import { emitNothing } from '@gatehouse/kit/events/emission'
import { recordedLog } from '@gatehouse/kit/testing/recorded-log'
import { makeJwt } from '@gatehouse/test/jwt'
import { createKeyEncryption } from '../../src/keys/key-encryption.ts'
import { createKeyRotation, keyDurations } from '../../src/keys/key-rotation.ts'
import { createSigningKeys, type SigningKeyRecord } from '../../src/keys/signing-keys.ts'
import { type AccessTokenClaims, createAccessTokenSigner } from '../../src/tokens/access-token.ts'
import type { KeyStoreOfTest } from './key-store.ts'
import { signingAtOnce } from './keys.ts'

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
  const activeKeys: (SigningKeyRecord | undefined)[] = []
  const replica = { time: 5_000_000 }
  const encryption = createKeyEncryption(itsSecret)
  const sleep = async () => undefined
  const signingKeys = createSigningKeys({
    secret: itsSecret,
    encryption,
    store,
    monotonicNow: () => replica.time,
    sleep,
    wereRead: (records) => void activeKeys.push(records.find(({ state }) => state === 'active')),
  })
  const rotation = createKeyRotation({
    keys: signingKeys,
    store,
    encryption,
    accessTokenAlgorithm: 'HS256',
    keyPairAlgorithms: [],
    durations: keyDurations(300, 3600),
    randomUuid: randomUUIDv7,
    sleep,
    emit: emitNothing,
    log: recordedLog().log,
  })
  await rotation.prepare()
  const signer = signingAtOnce(
    createAccessTokenSigner(signingKeys, { algorithm: 'HS256', issuer, audience: issuer }),
  )
  const pass = (ms: number) => {
    replica.time += ms
    store.time += ms
  }
  const rotate = (actor: Actor, immediately = false) => rotation.rotate({ immediately }, actor)
  return { keys: { refresh: signingKeys.refresh, rotate }, signer, activeKeys, pass }
}

/** A token's decoded header. */
export const headerOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString())
/** The key of a kid, as anybody with the secret can derive it (RFC 5869). */
export const derived = (kid: string, from = secret) => Buffer.from(hkdfSync('sha256', from, '', kid, 32))
/** A token signed with the derived key of its kid, whether or not the kid exists. */
export const forged = (kid: string, from = secret) =>
  makeJwt({ alg: 'HS256', typ: 'at+jwt', kid }, claims, derived(kid, from))
