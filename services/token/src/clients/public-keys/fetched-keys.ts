import { Refusal } from '@gatehouse/kit/errors'
import type { PublicKey } from '@gatehouse/kit/keys/public-key'
import { createKeyEntries, type KeyEntry } from './key-entries.ts'

/** The result of reading the keys at an address. */
export type ReadKeys =
  /** @param lifetime how long they may be used without reading them again, in seconds */
  | { keys: readonly PublicKey[]; lifetime: number }
  /** The server is away, or answers something else. */
  | 'away'
  | 'no keys'

/** The keys of clients at their `jwks_uri`, as they were read last. */
export type FetchedKeys = {
  /** @throws as `ClientKeys.of` */
  find(clientId: string, uri: string, mayWait: boolean): Promise<readonly PublicKey[] | undefined>
  /** @throws as `ClientKeys.newerOf` */
  newer(clientId: string, uri: string, mayWait: boolean): Promise<readonly PublicKey[] | undefined>
}

/** The needs of the memory of keys. */
export type FetchedKeysDeps = {
  /** Reads the keys at an address. It never throws. */
  read(clientId: string, uri: string): Promise<ReadKeys>
  /** Milliseconds of a monotonic clock. */
  monotonicNow(): number
}

/** A request cannot go on before the keys of its client are read at somebody else's server, and may not wait for that. */
export class KeysNeeded extends Error {}

/** In milliseconds. */
const pauses = { afterFailure: 5_000, whileUsable: 30_000 }
/** How much longer keys are used while the server is away, in milliseconds. */
const graceWhileAway = 3_600_000
/** The part of their lifetime after which keys in use are read again, so that no request has to wait. */
const renewedAfter = 0.8
/** The most requests that wait for the keys of one client, and for those of all. */
const mostWaiting = { ofOne: 20, ofAll: 200 }

/** Creates the memory of the keys at addresses. It reads the keys of a client once at a time. */
export function createFetchedKeys({ read, monotonicNow: now }: FetchedKeysDeps): FetchedKeys {
  const entries = createKeyEntries()
  const load = { waiting: 0, reading: 0 }

  function begin(clientId: string, entry: KeyEntry): Promise<void> {
    if (entry.reading) return entry.reading
    const askedAt = now()
    entry.askedAt = askedAt
    load.reading += 1
    entry.reading = read(clientId, entry.uri).then((result) => {
      load.reading -= 1
      entry.reading = undefined
      entry.isAway = result === 'away'
      if (result === 'away') return
      const { keys, lifetime } = result === 'no keys' ? { keys: undefined, lifetime: 0 } : result
      entries.keep(clientId, entry, keys)
      entry.readAt = askedAt
      entry.freshUntil = askedAt + lifetime * 1_000
    })
    return entry.reading
  }

  async function waitFor(clientId: string, entry: KeyEntry, mayWait: boolean): Promise<void> {
    if (!mayWait) throw new KeysNeeded()
    if (entry.waiting >= mostWaiting.ofOne || load.waiting >= mostWaiting.ofAll)
      throw new Refusal('temporarily_unavailable', undefined, {
        detail: 'too many requests wait for keys of clients',
        retryAfter: 1,
      })
    entry.waiting += 1
    load.waiting += 1
    try {
      await begin(clientId, entry)
    } finally {
      entry.waiting -= 1
      load.waiting -= 1
    }
  }

  /** Reads keys that are still used, without waiting for them. */
  function renew(clientId: string, entry: KeyEntry): void {
    if (isAsked(entry, pauses.whileUsable) || load.reading >= mostWaiting.ofAll) return
    void begin(clientId, entry)
  }

  const isAsked = ({ askedAt }: KeyEntry, within: number) => askedAt !== undefined && now() - askedAt < within

  /** The keys that may be used at this moment. */
  function usable({ keys, freshUntil, isAway }: KeyEntry): readonly PublicKey[] | undefined {
    return now() < freshUntil + (isAway ? graceWhileAway : 0) ? keys : undefined
  }

  return {
    async find(clientId, uri, mayWait) {
      const entry = entries.of(clientId, uri)
      const keys = usable(entry)
      if (keys) {
        const { readAt, freshUntil } = entry
        if (now() >= readAt + (freshUntil - readAt) * renewedAfter) renew(clientId, entry)
        return keys
      }
      const hasJustFailed = entry.reading === undefined && isAsked(entry, pauses.afterFailure)
      if (hasJustFailed) return undefined
      await waitFor(clientId, entry, mayWait)
      return usable(entry)
    },

    async newer(clientId, uri, mayWait) {
      const entry = entries.of(clientId, uri)
      if (entry.reading === undefined && isAsked(entry, pauses.whileUsable)) return undefined
      await waitFor(clientId, entry, mayWait)
      return usable(entry)
    },
  }
}
