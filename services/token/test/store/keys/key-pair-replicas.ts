import { randomUUIDv7 } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { keepNothing } from '@gatehouse/data/pending-events'
import { recordedLog } from '@gatehouse/kit/testing/recorded-log'
import type { KeyPairAlgorithm } from '@gatehouse/proto/algorithms'
import type { EventType } from '@gatehouse/proto/event-types'
import { beforeEach } from 'vitest'
import { createJwtSigner } from '../../../src/keys/jwt.ts'
import { createKeyEncryption } from '../../../src/keys/key-encryption.ts'
import { createKeyRotation, type KeyDurations } from '../../../src/keys/key-rotation.ts'
import { createSigningKeys } from '../../../src/keys/signing-keys.ts'
import { createSigningKeyStore } from '../../../src/store/keys/signing-keys.ts'
import { createAccessTokenSigner } from '../../../src/tokens/access-token.ts'
import { claims, secret } from '../../keys/key-replica.ts'
import { useDatabase } from '../database.ts'

type Changes = {
  itsSecret?: string
  algorithms?: KeyPairAlgorithm[]
  durations?: Partial<KeyDurations>
}

/** Creates a database without key pairs for a test file, with replicas that use it. */
export function useKeyPairs() {
  const shared = useDatabase()
  beforeEach(async () => {
    await shared.query('truncate token.signing_keys, token.signing_key_pairs, token.audit_log')
    await shared.query(`insert into token.signing_keys (kid) values ('default')`)
  })

  /** A replica with connections of its own, which has not prepared its keys yet. */
  function newReplica({ itsSecret = secret, algorithms = ['ES256'], durations }: Changes = {}) {
    const events: { type: EventType; metadata: unknown }[] = []
    const { log, lines } = recordedLog()
    const encryption = createKeyEncryption(itsSecret)
    const store = createSigningKeyStore(shared.another(), keepNothing)
    const keys = createSigningKeys({
      secret: itsSecret,
      encryption,
      store,
      monotonicNow: () => performance.now(),
      sleep,
      wereRead: () => undefined,
    })
    const rotation = createKeyRotation({
      keys,
      store,
      encryption,
      accessTokenAlgorithm: 'ES256',
      keyPairAlgorithms: algorithms,
      durations: { staged: 310, retiring: 3610, everywhere: 0, ...durations },
      randomUuid: randomUUIDv7,
      sleep,
      emit: (type, { metadata }) => void events.push({ type, metadata }),
      log,
    })
    const signing = { algorithm: 'ES256', issuer: claims.iss, audience: undefined } as const
    const signer = createAccessTokenSigner(keys, signing)
    return { keys, rotation, store, signer, jwts: createJwtSigner(keys), events, lines }
  }

  async function start(changes?: Changes) {
    const replica = newReplica(changes)
    await replica.rotation.prepare()
    return replica
  }

  const states = async () =>
    (await newReplica().store.list())
      .filter(({ algorithm }) => algorithm !== 'HS256')
      .map(({ kid, algorithm, state }) => ({ kid, algorithm, state }))
  const stateOf = async (kid: string | undefined) => (await states()).find((key) => key.kid === kid)?.state
  const makeDue = () =>
    shared.query('update token.signing_key_pairs set activates_at = now() where activated_at is null')
  const audit = () =>
    shared.query('select action, target, before, after from token.audit_log order by entry_id')

  return { shared, newReplica, start, states, stateOf, makeDue, audit }
}
