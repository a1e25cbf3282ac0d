import type { Actor } from '@gatehouse/kit/actor'
import { coalesce } from '@gatehouse/kit/coalesce'
import { Refusal } from '@gatehouse/kit/errors'
import { deriveSigningKey, kidOf, prefixOf, type SigningKey } from './signing-key.ts'

/** A signing key's row. It does not contain the key itself. */
export type SigningKeyRecord = {
  kid: string
  algorithm: string
  createdAt: Date
  /** undefined for the active key. */
  verifiesUntil: Date | undefined
  /** Milliseconds from now until `verifiesUntil`, by the store's clock; infinite for the active key. */
  verifiesFor: number
}

/** Stores signing keys. Exactly one of them is active. */
export type SigningKeyStore = {
  /** The keys that still verify tokens, the active one first. */
  list(): Promise<SigningKeyRecord[]>
  /**
   * Makes a new key the active one. Concurrent rotations run one after the other.
   * @param kid the new key's
   * @param verifyFor how long the previous key still verifies, in seconds
   * @returns as `list`
   */
  rotate(kid: string, verifyFor: number, actor: Actor): Promise<SigningKeyRecord[]>
}

/** The keys as signing and verifying need them. */
export type SigningKeys = {
  /**
   * @throws Refusal temporarily_unavailable when another replica may have rotated the active key, so that no new token may
   *   be issued
   */
  checkFresh(): void
  /**
   * The key with which to sign a token whose expiry was set when `checkFresh` allowed it.
   * @throws Refusal temporarily_unavailable when none is known
   */
  active(): SigningKey
  /**
   * @returns the key that a token's header names, if this replica knows it and it still verifies; undefined means: ask
   *   `candidateOf`
   */
  known(token: string): SigningKey | undefined
  /**
   * @returns the key that the token's header names, which may not exist in the store; undefined when it cannot exist
   */
  candidateOf(token: string): SigningKey | undefined
  /**
   * Looks a candidate up.
   * @returns the key, or undefined when there is no such key or it no longer verifies
   * @throws Refusal temporarily_unavailable when the keys cannot be read
   */
  confirm(candidate: SigningKey): Promise<SigningKey | undefined>
  /** Reads the keys from the store; call it every second. */
  refresh(): Promise<void>
  /**
   * Rotates the active key. This replica uses the new key at once.
   * @returns the keys, the new one first
   */
  rotate(actor: Actor): Promise<SigningKeyRecord[]>
}

/** What the keys need. */
export type SigningKeysDeps = {
  /** OAUTH2_JWT_SECRET. */
  secret: string
  store: SigningKeyStore
  /** The longest lifetime of an access token, in seconds. */
  longestAccessTokenLifetime: number
  /** Milliseconds of a monotonic clock. */
  monotonicNow(): number
  /** Returns a UUIDv7. */
  randomUuid(): string
  /** Called each time the keys were read. */
  wereRead(active: SigningKeyRecord | undefined): void
}

/** All in milliseconds. A replica that has not read the keys for this long might sign with a key that others retired. */
const signsFor = 10_000
const unknownFor = 60_000
const lookUpTimeout = 4_000
const mostUnknown = 1_000

type Known = SigningKey & { until: number }

/**
 * Creates this replica's keys, which it reads from the store every second. A key is derived from the secret by its kid, so no
 * key is stored, and a made-up kid fails the signature check before it can cause a look-up in the store.
 */
export function createSigningKeys(deps: SigningKeysDeps): SigningKeys {
  const { secret, store, monotonicNow } = deps
  let active: Known | undefined
  let readAt = Number.NEGATIVE_INFINITY
  let byKid = new Map<string, Known>()
  let byPrefix = new Map<string, Known>()
  const unknown = new Map<string, number>()
  let turn: Promise<unknown> = Promise.resolve()

  // One at a time, or a list that was read before a rotation could arrive after it.
  function inTurn<Result>(task: () => Promise<Result>): Promise<Result> {
    const result = turn.then(task, task)
    turn = result
    return result
  }

  /** @param askedAt a time before the request to the store, so the answer is at least as recent */
  function take(records: readonly SigningKeyRecord[], askedAt: number): void {
    const now = monotonicNow()
    const keys = records.map(
      ({ kid, verifiesFor }): Known => ({
        ...(byKid.get(kid) ?? deriveSigningKey(secret, kid)),
        until: now + verifiesFor,
      }),
    )
    byKid = new Map(keys.map((key) => [key.kid, key]))
    byPrefix = new Map(keys.map((key) => [key.prefix, key]))
    const record = records.find(({ verifiesUntil }) => verifiesUntil === undefined)
    active = record && byKid.get(record.kid)
    readAt = askedAt
    deps.wereRead(record)
  }

  const refresh = () =>
    inTurn(async () => {
      const askedAt = monotonicNow()
      take(await store.list(), askedAt)
    })

  const lookUp = coalesce<string, SigningKey | undefined>({
    async run(kids) {
      await refresh()
      for (const kid of kids) if (!byKid.has(kid)) unknown.set(kid, monotonicNow() + unknownFor)
      for (const kid of unknown.keys()) {
        if (unknown.size <= mostUnknown) break
        unknown.delete(kid)
      }
      return kids.map((kid) => byKid.get(kid))
    },
    maxItems: 500,
    maxConcurrent: 1,
    maxQueued: 5_000,
    timeoutMs: lookUpTimeout,
  })

  return {
    checkFresh() {
      if (active === undefined || monotonicNow() - readAt > signsFor) {
        throw unavailable('the signing keys have not been read for too long')
      }
    },

    active() {
      if (active === undefined) throw unavailable('no signing key is active')
      return active
    },

    known(token) {
      if (active && token.startsWith(active.prefix)) return active
      const key = byPrefix.get(prefixOf(token))
      return key && monotonicNow() < key.until ? key : undefined
    },

    candidateOf(token) {
      const kid = kidOf(prefixOf(token))
      if (kid === undefined || (unknown.get(kid) ?? 0) > monotonicNow()) return undefined
      return byKid.get(kid) ?? deriveSigningKey(secret, kid)
    },

    confirm: ({ kid }) => lookUp(kid),

    refresh,

    rotate: (actor) =>
      inTurn(async () => {
        const askedAt = monotonicNow()
        const verifyFor = signsFor / 1000 + deps.longestAccessTokenLifetime
        const records = await store.rotate(deps.randomUuid(), verifyFor, actor)
        take(records, askedAt)
        return records
      }),
  }
}

function unavailable(detail: string): Refusal {
  return new Refusal('temporarily_unavailable', undefined, { detail })
}
