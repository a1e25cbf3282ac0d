import { Refusal } from '@gatehouse/kit/errors'
import { coalesce } from '@gatehouse/kit/rpc/coalesce'
import type { Keyring } from '@gatehouse/kit/secrets/keyring'
import { type KeyPairAlgorithm, keyPairAlgorithms, type SigningAlgorithm } from '@gatehouse/proto/algorithms'
import type { KeyEncryption } from './key-encryption.ts'
import { createKeyPair, type KeyPair, type PublicJwk } from './key-pair.ts'
import { deriveSigningKey, headerOf, type JwtType, readHeader, type SigningKey } from './signing-key.ts'

/** A signing key's row. The key itself is encrypted, or derived from the secret by its kid. */
export type SigningKeyRecord = {
  kid: string
  algorithm: string
  /** A staged key is published and does not sign yet; a retiring one still verifies the tokens that it signed. */
  state: 'staged' | 'active' | 'retiring'
  createdAt: Date
  /** From when on a staged key may sign; undefined for a key in another state. */
  activatesAt: Date | undefined
  /** Whether that time has come, by the store's clock. */
  isDue: boolean
  /** undefined unless the key is retiring. */
  verifiesUntil: Date | undefined
  /** When a derived key stopped signing; undefined while it signs, and for key pairs. */
  issuedUntil?: Date | undefined
  /** Milliseconds from now until `verifiesUntil`, by the store's clock; infinite unless the key is retiring. */
  verifiesFor: number
  /** The encrypted private key of a key pair; undefined for a key that is derived from the secret. */
  encryptedKey: Uint8Array | undefined
}

/** The keys as signing and verifying need them. */
export type SigningKeys = {
  /**
   * @throws Refusal temporarily_unavailable when another replica may have rotated the active key, or there is none, so that no
   *   new token may be issued
   */
  checkFresh(algorithm: SigningAlgorithm): void
  /**
   * The key with which to sign a token whose expiry was set when `checkFresh` allowed it.
   * @throws Refusal temporarily_unavailable when none is known
   */
  active(algorithm: SigningAlgorithm): SigningKey
  /**
   * The key that the header of a JWT names. The header must be exactly as this server writes it for the key and the type, so
   * any other `alg`, such as `none`, never reaches a signature.
   * @returns undefined when there is no such key or it no longer verifies; a promise only when this replica does not know the
   *   key and must look it up, which rejects with temporarily_unavailable when the keys cannot be read
   */
  find(token: string, type: JwtType): SigningKey | undefined | Promise<SigningKey | undefined>
  /** The public keys of all key pairs that sign or verify, or will. */
  published(): PublicJwk[]
  /** The rows of key pairs that cannot be decrypted: another secret encrypted them, or they are damaged. */
  undecryptable(): string[]
  /**
   * Reads the keys from the store; call it every second.
   * @returns the keys that were read
   */
  refresh(): Promise<SigningKeyRecord[]>
}

/** The needs of the keys. */
export type SigningKeysDeps = {
  /** OAUTH2_JWT_SECRET. */
  secret: Keyring
  /** Decrypts the private keys. */
  encryption: Pick<KeyEncryption, 'decrypt'>
  /** Lists the keys that will sign, sign, or still verify: by algorithm the staged one, the active one, the others. */
  store: { list(): Promise<SigningKeyRecord[]> }
  /** Milliseconds of a monotonic clock. */
  monotonicNow(): number
  /** Resolves after so many milliseconds. */
  sleep(milliseconds: number): Promise<unknown>
  /** Called each time the keys were read, with those that this replica can use. */
  wereRead(records: readonly SigningKeyRecord[]): void
}

/** How long a replica signs that cannot read the keys, in seconds. Later it might sign with a key that others have retired. */
export const signsUnread = 10

/** All in milliseconds. */
const unknownFor = 60_000
const lookUpTimeout = 4_000
/** Anybody can invent the kid of a key pair, so look-ups wait for each other. */
const lookUpEvery = 100
const mostUnknown = 1_000

type Known = { key: SigningKey; until: number }

/**
 * Creates this replica's view of the keys, which it reads from the store every second. A derived key follows from the secret and
 * its kid, so it is not stored, and a made-up kid fails the signature check before it can cause a look-up in the store.
 */
export function createSigningKeys(deps: SigningKeysDeps): SigningKeys {
  const { secret, store, monotonicNow } = deps
  const active = new Map<string, SigningKey>()
  let readAt = Number.NEGATIVE_INFINITY
  let byKid = new Map<string, Known>()
  let byHeader = new Map<string, Known>()
  let undecryptable: string[] = []
  let published: PublicJwk[] = []
  let turn: Promise<unknown> = Promise.resolve()

  /** @returns undefined for a key of another release's algorithm, 'undecryptable' for one that another secret encrypted */
  async function open(record: SigningKeyRecord): Promise<SigningKey | 'undecryptable' | undefined> {
    const { kid, algorithm, encryptedKey } = record
    if (encryptedKey === undefined) return algorithm === 'HS256' ? deriveSigningKey(secret, kid) : undefined
    // A later release may have written rows with other algorithms.
    if (!isKeyPairAlgorithm(algorithm)) return undefined
    try {
      return await createKeyPair(algorithm, deps.encryption.decrypt(encryptedKey, { kid, algorithm }))
    } catch {
      return 'undecryptable'
    }
  }

  /** @param askedAt a time before the request to the store, so the answer is at least as recent */
  async function take(records: readonly SigningKeyRecord[], askedAt: number): Promise<void> {
    const opened = await Promise.all(
      records.map(async (record) => ({ record, key: byKid.get(record.kid)?.key ?? (await open(record)) })),
    )
    // From here on nothing waits, so nobody sees a part of the keys.
    const now = monotonicNow()
    undecryptable = []
    published = []
    byKid = new Map()
    byHeader = new Map()
    active.clear()
    const usable: SigningKeyRecord[] = []
    for (const { record, key: found } of opened) {
      if (found === 'undecryptable') undecryptable.push(record.kid)
      if (found === undefined || found === 'undecryptable') continue
      const issuedUntil = record.issuedUntil?.getTime()
      const key = found.issuedUntil === issuedUntil ? found : { ...found, issuedUntil }
      usable.push(record)
      const entry = { key, until: now + record.verifiesFor }
      byKid.set(key.kid, entry)
      for (const header of Object.values(key.headers)) byHeader.set(header, entry)
      if (record.state === 'active') active.set(key.algorithm, key)
      if (isKeyPair(key)) published.push(key.publicJwk)
    }
    readAt = askedAt
    deps.wereRead(usable)
  }

  // One at a time, or a list that was read before a rotation could arrive after it.
  function refresh(): Promise<SigningKeyRecord[]> {
    const read = async () => {
      const askedAt = monotonicNow()
      const records = await store.list()
      await take(records, askedAt)
      return records
    }
    const result = turn.then(read, read)
    turn = result
    return result
  }

  const unknown = lookUpKeys({ ...deps, refresh, known: (kid) => byKid.get(kid)?.key })

  return {
    checkFresh(algorithm) {
      if (!active.has(algorithm)) throw noneActive(algorithm)
      if (monotonicNow() - readAt > signsUnread * 1000) {
        throw unavailable('the signing keys have not been read for too long')
      }
    },

    active(algorithm) {
      const key = active.get(algorithm)
      if (key === undefined) throw noneActive(algorithm)
      return key
    },

    find(token, type) {
      const header = headerOf(token)
      const known = byHeader.get(header)
      if (known)
        return known.key.headers[type] === header && monotonicNow() < known.until ? known.key : undefined
      const named = readHeader(header)
      if (named === undefined || unknown.has(named.kid)) return undefined
      if (named.algorithm === 'HS256' && !isSignedBy(deriveSigningKey(secret, named.kid), token))
        return undefined
      return unknown.lookUp(named.kid).then((key) => (key?.headers[type] === header ? key : undefined))
    },

    published: () => published,
    undecryptable: () => undecryptable,
    refresh,
  }
}

/** Looks keys up that a replica does not know, and remembers for a while which do not exist. */
function lookUpKeys(
  deps: Pick<SigningKeysDeps, 'monotonicNow' | 'sleep'> & {
    refresh(): Promise<unknown>
    known(kid: string): SigningKey | undefined
  },
) {
  const { monotonicNow } = deps
  const unknown = new Map<string, number>()
  let lookedUpAt = Number.NEGATIVE_INFINITY
  const lookUp = coalesce<string, SigningKey | undefined>({
    async run(kids) {
      const wait = lookedUpAt + lookUpEvery - monotonicNow()
      if (wait > 0) await deps.sleep(wait)
      lookedUpAt = monotonicNow()
      await deps.refresh()
      for (const kid of kids) if (!deps.known(kid)) unknown.set(kid, monotonicNow() + unknownFor)
      for (const kid of unknown.keys()) {
        if (unknown.size <= mostUnknown) break
        unknown.delete(kid)
      }
      return kids.map(deps.known)
    },
    maxItems: 500,
    maxConcurrent: 1,
    maxQueued: 5_000,
    timeoutMs: lookUpTimeout,
  })
  return { lookUp, has: (kid: string) => (unknown.get(kid) ?? 0) > monotonicNow() }
}

function isSignedBy(key: SigningKey, token: string): boolean {
  const end = token.lastIndexOf('.')
  return key.verifies(token.slice(0, end), token.slice(end + 1))
}

function isKeyPairAlgorithm(algorithm: string): algorithm is KeyPairAlgorithm {
  return (keyPairAlgorithms as readonly string[]).includes(algorithm)
}

function isKeyPair(key: SigningKey): key is KeyPair {
  return 'publicJwk' in key
}

const noneActive = (algorithm: string) => unavailable(`no signing key of ${algorithm} is active`)

function unavailable(detail: string): Refusal {
  return new Refusal('temporarily_unavailable', undefined, { detail })
}
