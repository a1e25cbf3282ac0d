import { randomUUIDv7 } from 'node:crypto'
import { keepNothing } from '@gatehouse/data/pending-events'
import { Refusal } from '@gatehouse/kit/errors'
import { emitNothing } from '@gatehouse/kit/events/emission'
import { recordedLog } from '@gatehouse/kit/testing/recorded-log'
import { keySetMaxAge } from '@gatehouse/proto/algorithms'
import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from 'jose'
import { createKeySet } from '../../../../gateway/src/oauth/key-set.ts'
import { createKeyEncryption } from '../../../src/keys/key-encryption.ts'
import { createKeyRotation, keyDurations } from '../../../src/keys/key-rotation.ts'
import { createSigningKeys } from '../../../src/keys/signing-keys.ts'
import { keyRpcs } from '../../../src/rpc/key-rpc.ts'
import { createSigningKeyStore } from '../../../src/store/keys/signing-keys.ts'
import { createAccessTokenSigner } from '../../../src/tokens/access-token.ts'
import { claims, secret } from '../../keys/key-replica.ts'
import { someActor } from '../../keys/key-store.ts'
import type { StoreTest } from '../database.ts'

/** How long a token of these tests lives, in seconds: as long as any may. */
export const tokenLifetime = 3_600

const durations = keyDurations(keySetMaxAge, tokenLifetime)

/** The time of everything here in seconds, and a way to let it pass: the rows of the keys become as much older. */
export function createClock(shared: StoreTest) {
  let passed = 0
  const now = () => passed + performance.now() / 1000
  return {
    now,
    async pass(seconds: number): Promise<void> {
      passed += seconds
      await shared.query(
        `update token.signing_key_pairs set created_at = created_at - d, activates_at = activates_at - d,
          activated_at = activated_at - d, verifies_until = verifies_until - d
        from (select make_interval(secs => $1) as d) by`,
        [seconds],
      )
    },
  }
}

export type Clock = ReturnType<typeof createClock>

/** A replica of the token service, as far as it has to do with keys. */
export type Replica = ReturnType<typeof createReplica>

/**
 * Creates a replica with a connection of its own to the keys.
 * @param waited called while an immediate rotation waits for the other replicas
 */
export function createReplica(
  database: Parameters<typeof createSigningKeyStore>[0],
  clock: Clock,
  waited: (seconds: number) => Promise<void>,
) {
  const state = { cutOff: false, readAt: Number.NEGATIVE_INFINITY }
  const encryption = createKeyEncryption(secret)
  const reached = createSigningKeyStore(database, keepNothing)
  const store = {
    ...reached,
    async list() {
      const askedAt = clock.now()
      if (state.cutOff) throw new Refusal('temporarily_unavailable')
      const records = await reached.list()
      state.readAt = askedAt
      return records
    },
  }
  const sleep = (milliseconds: number) => waited(milliseconds / 1000)
  const monotonicNow = () => clock.now() * 1000
  const keys = createSigningKeys({
    ...{ secret, encryption, store, monotonicNow, sleep },
    wereRead: () => undefined,
  })
  const rotation = createKeyRotation({
    ...{ keys, store, encryption, durations, sleep, emit: emitNothing, log: recordedLog().log },
    ...{ accessTokenAlgorithm: 'ES256', keyPairAlgorithms: ['ES256'], randomUuid: randomUUIDv7 },
  })
  const signer = createAccessTokenSigner(keys, {
    ...{ algorithm: 'ES256', issuer: claims.iss, audience: undefined },
  })
  const rpcs = keyRpcs({
    ...{ keys, keyStore: store, keyRotation: rotation },
    ...{ accessTokenAlgorithm: 'ES256', idTokenAlgorithms: [] },
  })
  return {
    state,
    rotation,
    rotate: (immediately: boolean) => rotation.rotate({ immediately }, someActor),
    /** Issues a token. @throws Refusal temporarily_unavailable when it may not */
    async sign(): Promise<string> {
      signer.checkFresh()
      return signer.sign(claims)
    },
    accepts: async (token: string) => (await signer.verify(token)) !== undefined,
    /** The key set, as the gateway asks for it. The other parts of a call are not read. */
    readKeySet: async () => (await rpcs.getKeySet({}, {} as never)).keySet ?? '',
  }
}

/** A gateway's key set, and the replica that it asks. */
export type Gateway = { keySet: ReturnType<typeof createKeySet>; replica: Replica }

/** Creates a gateway that asks one replica. */
export function createGateway(replica: Replica, clock: Clock): Gateway {
  const monotonicNow = () => clock.now() * 1000
  return { keySet: createKeySet({ read: replica.readKeySet, monotonicNow }), replica }
}

/** A resource server that verifies by itself, with a key set that it uses for as long as it may. */
export class Verifier {
  readonly clock: Clock
  #keys: JSONWebKeySet = { keys: [] }
  #until = Number.NEGATIVE_INFINITY
  /** A time since which its key set was read from a replica that knew the keys, in seconds. */
  knowsSince = Number.NEGATIVE_INFINITY

  constructor(clock: Clock) {
    this.clock = clock
  }

  /** Whether it has a key set that it may use. */
  get isReady(): boolean {
    return this.clock.now() < this.#until
  }

  /** Gets the key set of a gateway; when the gateway has none, it keeps its own. */
  async fetch({ keySet, replica }: Gateway): Promise<void> {
    // By its own time before the request, as caches count (RFC 9111 section 4.2.3).
    const askedAt = this.clock.now()
    const found = await keySet().catch((error: unknown) => {
      if (!(error instanceof Refusal)) throw error
    })
    if (found === undefined) return
    this.#keys = JSON.parse(found.document.content.toString())
    this.#until = askedAt + found.maxAge
    // Otherwise it is the last one that the gateway has.
    this.knowsSince = replica.state.cutOff ? Number.NEGATIVE_INFINITY : askedAt
  }

  async accepts(token: string): Promise<boolean> {
    return compactVerify(token, createLocalJWKSet(this.#keys)).then(
      () => true,
      () => false,
    )
  }
}
