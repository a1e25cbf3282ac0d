import type { Actor } from '@gatehouse/kit/actor'
import { coalesce } from '@gatehouse/kit/coalesce'
import { Refusal } from '@gatehouse/kit/errors'
import { deriveSigningKey, kidOf, prefixOf, type SigningKey } from './signing-key.ts'

/** What is kept of a signing key: never the key itself. */
export type SigningKeyRecord = {
  kid: string
  algorithm: string
  createdAt: Date
  /** Undefined: it is the active one. */
  verifiesUntil: Date | undefined
  /** Milliseconds from now until then, by the store's clock; infinite for the active one. */
  verifiesFor: number
}

/** Where signing keys are kept. Exactly one of them is the active one. */
export type SigningKeyStore = {
  /** Those that verify something, the active one first. */
  list(): Promise<SigningKeyRecord[]>
  /**
   * Makes a new key the active one. Rotations at once succeed one after the other.
   * @param kid the new key's
   * @param verifyFor how long the old one verifies from now on, in seconds
   * @returns as `list`
   */
  rotate(kid: string, verifyFor: number, actor: Actor): Promise<SigningKeyRecord[]>
}

/** The keys as signing and verifying need them. */
export type SigningKeys = {
  /**
   * @throws Refusal temporarily_unavailable where the active key is not known for certain, so that no token may begin
   *   its life
   */
  checkFresh(): void
  /**
   * The key to sign with, for a token whose life began when `checkFresh` allowed it.
   * @throws Refusal temporarily_unavailable where none is known
   */
  active(): SigningKey
  /**
   * @returns the key that a token's header names, as far as it is known here and verifies; undefined: ask `candidateOf`
   */
  known(token: string): SigningKey | undefined
  /**
   * @returns the key that a token's header would name if there were such a key; undefined: there can be none
   */
  candidateOf(token: string): SigningKey | undefined
  /**
   * Looks a candidate up.
   * @returns the key, or undefined where there is no such key or it verifies nothing any more
   * @throws Refusal temporarily_unavailable when the keys cannot be read
   */
  confirm(candidate: SigningKey): Promise<SigningKey | undefined>
  /** Reads which keys there are: to be called each second. */
  refresh(): Promise<void>
  /**
   * Puts a new key into service, here at once.
   * @returns the keys, the new one first
   */
  rotate(actor: Actor): Promise<SigningKeyRecord[]>
}

/** What the keys need. */
export type SigningKeysDeps = {
  /** OAUTH2_JWT_SECRET. */
  secret: string
  store: SigningKeyStore
  /** The longest that an access token can live, in seconds. */
  longestAccessTokenLifetime: number
  /** Milliseconds of a clock that never goes back. */
  monotonicNow(): number
  /** Makes a UUIDv7. */
  randomUuid(): string
  /** Told each time when the keys were read. */
  wereRead(active: SigningKeyRecord | undefined): void
}

/** All in milliseconds. A replica that has not read the keys for so long might sign with one that others retired. */
const signsFor = 10_000
const unknownFor = 60_000
const lookUpTimeout = 4_000
const mostUnknown = 1_000

type Known = SigningKey & { until: number }

/**
 * The keys of this replica, read from the store each second. A key is derived from the secret by its kid, so none is at
 * rest, and a kid that somebody made up is found out by the signature before the store is asked.
 */
export function createSigningKeys(deps: SigningKeysDeps): SigningKeys {
  const { secret, store, monotonicNow } = deps
  let active: Known | undefined
  let readAt = Number.NEGATIVE_INFINITY
  let byKid = new Map<string, Known>()
  let byPrefix = new Map<string, Known>()
  const unknown = new Map<string, number>()
  let turn: Promise<unknown> = Promise.resolve()

  // One at a time: else a list that was read before a rotation could arrive after it.
  function inTurn<Result>(task: () => Promise<Result>): Promise<Result> {
    const result = turn.then(task, task)
    turn = result
    return result
  }

  /** @param askedAt before the store was asked: what the answer says was so then, or later. */
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
