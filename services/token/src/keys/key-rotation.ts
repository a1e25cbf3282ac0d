import type { Actor } from '@gatehouse/kit/actor'
import { Refusal } from '@gatehouse/kit/errors'
import type { Emit } from '@gatehouse/kit/events/emission'
import type { Logger } from '@gatehouse/kit/telemetry/log'
import type { KeyPairAlgorithm, SigningAlgorithm } from '@gatehouse/proto/algorithms'
import type { KeyEncryption } from './key-encryption.ts'
import { createKeyPair, generatePrivateKey } from './key-pair.ts'
import { type SigningKeyRecord, type SigningKeys, signsUnread } from './signing-keys.ts'

/** A new key pair, as it is stored. */
export type NewKeyPair = { kid: string; algorithm: KeyPairAlgorithm; encryptedKey: Uint8Array }

/**
 * Stores signing keys. Of each algorithm at most one is active and one staged. A method that rotates returns the algorithm's keys
 * as they are then, the new one first.
 */
export type SigningKeyStore = {
  /** The keys that will sign, sign, or still verify tokens: by algorithm the staged one, the active one, the others. */
  list(): Promise<SigningKeyRecord[]>
  /**
   * Makes a new derived key the active one. Concurrent rotations run one after the other.
   * @param kid the new key's
   * @param verifyFor how long the previous key still verifies, in seconds; 0 ends every previous key at once
   */
  rotate(kid: string, verifyFor: number, actor: Actor): Promise<SigningKeyRecord[]>
  /** Notes that the active derived key signs, or that it signs no longer, from now on unless that is noted already. */
  signsDerived(does: boolean): Promise<void>
  /** Stores the first pair of an algorithm, which is active at once. Does nothing when the algorithm has an active pair. */
  addFirst(pair: NewKeyPair): Promise<void>
  /**
   * Stages a pair. When one is staged already, it stays, and so does everything else.
   * @param stagedFor how long it is published before it signs, in seconds
   */
  stage(pair: NewKeyPair, stagedFor: number, actor: Actor): Promise<SigningKeyRecord[]>
  /** Stores a pair that is active at once, and deletes all others of its algorithm. */
  replace(pair: NewKeyPair, actor: Actor): Promise<SigningKeyRecord[]>
  /**
   * Activates the staged pairs whose time has come, and retires the active ones before them. Of several calls at once one does
   * it.
   * @param verifyFor how long the retired pairs still verify, in seconds
   * @returns the pairs that this call activated
   */
  activateDue(verifyFor: number): Promise<{ kid: string; algorithm: string }[]>
  /** Deletes pairs. @returns their number */
  deletePairs(kids: readonly string[]): Promise<number>
}

/** The changes of the keys. */
export type KeyRotation = {
  /**
   * Prepares the keys for this process: pairs that cannot be decrypted are deleted, and every algorithm that is on gets a key.
   * @throws Refusal temporarily_unavailable when the database is away; call it again then
   */
  prepare(): Promise<void>
  /** Reads the keys, activates what is due, and makes what is missing. Call it every second. */
  refresh(): Promise<void>
  /**
   * Rotates the key of an algorithm. A new key pair is staged first, unless it is to sign immediately: then all earlier keys of
   * the algorithm are withdrawn, and once this resolves no replica takes their tokens. A derived key signs immediately anyway,
   * because it is not published.
   * @returns the algorithm's keys, the new one first
   * @throws Refusal invalid_request for an algorithm that is off
   */
  rotate(request: RotationRequest, actor: Actor): Promise<SigningKeyRecord[]>
}

/** Which key is rotated, and how. */
export type RotationRequest = {
  /** By default that of access tokens. */
  algorithm?: string | undefined
  immediately: boolean
}

/** The needs of the changes. */
export type KeyRotationDeps = {
  keys: Pick<SigningKeys, 'refresh' | 'undecryptable'>
  store: SigningKeyStore
  encryption: Pick<KeyEncryption, 'encrypt'>
  /** The algorithm that signs access tokens. */
  accessTokenAlgorithm: SigningAlgorithm
  /** The algorithms of key pairs that are on. */
  keyPairAlgorithms: readonly KeyPairAlgorithm[]
  durations: KeyDurations
  /** Returns a UUIDv7. */
  randomUuid(): string
  /** Resolves after so many milliseconds. */
  sleep(milliseconds: number): Promise<unknown>
  emit: Emit
  log: Logger
}

/** How long keys stay in their states, in seconds. */
export type KeyDurations = {
  /** As long as verifiers may use a key set that does not have the new key yet. */
  staged: number
  /** As long as a token that the key signed may live. */
  retiring: number
  /** After how long every replica and gateway has learned of a change. */
  everywhere: number
}

/**
 * How long keys stay in their states, in seconds.
 * @param keySetMaxAge how long verifiers may use a key set
 * @param longestToken the longest lifetime of a token
 */
export function keyDurations(keySetMaxAge: number, longestToken: number): KeyDurations {
  // A replica that does not learn of a rotation signs with the previous key for some seconds more. The same time is more than
  // gateways keep a key set before verifiers get it.
  return { staged: signsUnread + keySetMaxAge, retiring: signsUnread + longestToken, everywhere: 2 }
}

/** Creates the changes of the keys. */
export function createKeyRotation(deps: KeyRotationDeps): KeyRotation {
  const { keys, store, durations } = deps

  async function newPair(algorithm: KeyPairAlgorithm): Promise<NewKeyPair> {
    const privateKey = await generatePrivateKey(algorithm)
    const { kid } = await createKeyPair(algorithm, privateKey)
    return { kid, algorithm, encryptedKey: deps.encryption.encrypt(privateKey, { kid, algorithm }) }
  }

  function announce(kid: string, algorithm: string): void {
    deps.log.info({ kid, algorithm }, 'new tokens are signed with a new key')
    deps.emit('signing_key_rotated', { metadata: { kid, algorithm } })
  }

  async function activateDue(): Promise<void> {
    for (const { kid, algorithm } of await store.activateDue(durations.retiring)) announce(kid, algorithm)
  }

  /** Activates what is due, and makes what is missing. */
  async function complete(records: readonly SigningKeyRecord[]): Promise<void> {
    const isDue = records.some((record) => record.isDue)
    if (isDue) await activateDue()
    const missing = deps.keyPairAlgorithms.filter(
      (algorithm) => !records.some((record) => record.algorithm === algorithm && record.state === 'active'),
    )
    for (const pair of await Promise.all(missing.map(newPair))) await store.addFirst(pair)
    // While replicas with another algorithm are replaced one by one, both kinds note what they do, and the last one is right.
    const signs = deps.accessTokenAlgorithm === derivedAlgorithm
    const isNoted = records.every(
      ({ algorithm, state, issuedUntil }) =>
        algorithm !== derivedAlgorithm || state !== 'active' || (issuedUntil === undefined) === signs,
    )
    if (!isNoted) await store.signsDerived(signs)
    if (isDue || missing.length > 0 || !isNoted) await keys.refresh()
  }

  async function rotatePair(algorithm: KeyPairAlgorithm, immediately: boolean, actor: Actor) {
    const pair = await newPair(algorithm)
    if (!immediately) return store.stage(pair, durations.staged, actor)
    return store.replace(pair, actor)
  }

  return {
    async prepare() {
      const records = await keys.refresh()
      const kids = keys.undecryptable()
      if (kids.length === 0) return complete(records)
      await store.deletePairs(kids)
      deps.log.warn(
        { kids },
        'key pairs cannot be decrypted with OAUTH2_JWT_SECRET and were deleted; their tokens are invalid',
      )
      await complete(await keys.refresh())
    },

    refresh: async () => complete(await keys.refresh()),

    async rotate({ algorithm = deps.accessTokenAlgorithm, immediately }, actor) {
      const pairAlgorithm = deps.keyPairAlgorithms.find((name) => name === algorithm)
      if (pairAlgorithm === undefined && algorithm !== deps.accessTokenAlgorithm) {
        throw new Refusal('invalid_request', `The algorithm must be one that is on: ${enabled(deps)}.`)
      }
      const records = pairAlgorithm
        ? await rotatePair(pairAlgorithm, immediately, actor)
        : await store.rotate(deps.randomUuid(), immediately ? 0 : durations.retiring, actor)
      const [newest] = records
      if (newest?.state === 'active') announce(newest.kid, newest.algorithm)
      // The change is stored, so a failure to read it is only a delay.
      await keys.refresh().catch((error) => deps.log.warn({ err: error }, 'the keys were not read'))
      if (immediately) await deps.sleep(durations.everywhere * 1000)
      return records
    },
  }
}

/** The algorithm of the keys that are derived from the secret. */
const derivedAlgorithm = 'HS256'

function enabled({ accessTokenAlgorithm, keyPairAlgorithms }: KeyRotationDeps): string {
  return [...new Set([accessTokenAlgorithm, ...keyPairAlgorithms])].join(', ')
}
