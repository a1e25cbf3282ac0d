import type { PublicKey } from '@gatehouse/kit/keys/public-key'

/** The keys of a client at an address. All times are milliseconds of a monotonic clock. */
export type KeyEntry = {
  readonly uri: string
  /** undefined until they were read, and when there are none at the address. */
  keys: readonly PublicKey[] | undefined
  readAt: number
  freshUntil: number
  /** When the address was asked last. */
  askedAt: number | undefined
  /** Whether its server was away then. */
  isAway: boolean
  /** While the address is asked. */
  reading: Promise<void> | undefined
  /** How many requests wait for that. */
  waiting: number
}

/** The keys at addresses that are kept in memory. */
export type KeyEntries = {
  /** The entry of a client. An entry for another address than this one is gone, and with it its keys. */
  of(clientId: string, uri: string): KeyEntry
  /** Keeps the keys that were read, if their address is still that of the client. */
  keep(clientId: string, entry: KeyEntry, keys: readonly PublicKey[] | undefined): void
}

/** How much is kept. Past that, the clients whose keys were read the longest time ago go first. */
const most = { clients: 10_000, keys: 20_000 }

/** Creates the memory of keys. */
export function createKeyEntries(): KeyEntries {
  const entries = new Map<string, KeyEntry>()
  let keysKept = 0

  function remove(clientId: string, entry: KeyEntry): void {
    entries.delete(clientId)
    keysKept -= entry.keys?.length ?? 0
  }

  function add(clientId: string, entry: KeyEntry): void {
    entries.set(clientId, entry)
    keysKept += entry.keys?.length ?? 0
    for (const [id, oldest] of entries) {
      if (entries.size <= most.clients && keysKept <= most.keys) return
      remove(id, oldest)
    }
  }

  return {
    of(clientId, uri) {
      const known = entries.get(clientId)
      if (known?.uri === uri) return known
      if (known) remove(clientId, known)
      const entry: KeyEntry = {
        ...{ uri, keys: undefined, readAt: 0, freshUntil: 0, askedAt: undefined, isAway: false },
        ...{ reading: undefined, waiting: 0 },
      }
      add(clientId, entry)
      return entry
    },

    keep(clientId, entry, keys) {
      const isKept = entries.get(clientId) === entry
      if (isKept) remove(clientId, entry)
      entry.keys = keys
      if (isKept) add(clientId, entry)
    },
  }
}
