import { randomUUIDv7 } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { KeepEvent } from '@gatehouse/data/pending-events'
import type { ServiceDatabase } from '@gatehouse/data/service-database'
import type { Emit } from '@gatehouse/kit/events/emission'
import type { ProcessContext } from '@gatehouse/kit/process/process'
import type { Keyring } from '@gatehouse/kit/secrets/keyring'
import { repeat, untilDone } from '@gatehouse/kit/time/repeat'
import { enabledKeyPairAlgorithms, keySetMaxAge } from '@gatehouse/proto/algorithms'
import { longestAccessTokenLifetime, type TokenConfig } from './config.ts'
import { createKeyEncryption } from './keys/key-encryption.ts'
import { createKeyRotation, keyDurations } from './keys/key-rotation.ts'
import { createSigningKeys } from './keys/signing-keys.ts'
import type { TokenMetrics } from './metrics.ts'
import { createSigningKeyStore } from './store/keys/signing-keys.ts'

/** In milliseconds. Random, so that replicas do not all read at once. Every replica knows of a rotation within 2 s. */
const readEvery = () => 800 + Math.random() * 400
const prepareEvery = 1_000

/** The signing keys, read again and again. */
export async function openSigningKeys(
  context: ProcessContext<TokenConfig>,
  database: ServiceDatabase,
  {
    secret,
    metrics,
    emit,
    keepEvent,
  }: { secret: Keyring; metrics: TokenMetrics; emit: Emit; keepEvent: KeepEvent },
) {
  const { config, log } = context
  const keyStore = createSigningKeyStore(database, keepEvent)
  const encryption = createKeyEncryption(secret)
  const keys = createSigningKeys({
    secret,
    encryption,
    store: keyStore,
    monotonicNow: () => performance.now(),
    sleep,
    wereRead: metrics.signingKeysRead,
  })
  const keyRotation = createKeyRotation({
    keys,
    store: keyStore,
    encryption,
    accessTokenAlgorithm: config.OAUTH2_ACCESS_TOKEN_ALGORITHM,
    keyPairAlgorithms: enabledKeyPairAlgorithms(config),
    durations: keyDurations(keySetMaxAge, longestAccessTokenLifetime),
    randomUuid: randomUUIDv7,
    sleep,
    emit,
    log,
  })
  await untilDone(context, 'preparing the signing keys', prepareEvery, keyRotation.prepare)
  repeat(context, 'reading the signing keys', readEvery, keyRotation.refresh)
  return { keys, keyStore, keyRotation }
}
