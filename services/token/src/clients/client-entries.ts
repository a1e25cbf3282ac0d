import type { Client } from './client-authentication.ts'

/** A client id with its cached revision. */
export type KnownClient = { clientId: string; revision: bigint }

/** The answer of the client registry about clients. */
export type RegistryAnswer = {
  /** The clients whose revision differs from the cached one. */
  changed: Client[]
  /** The unknown ids. */
  unknown: string[]
}

/** A cached client. All times are milliseconds since the Unix epoch. */
export type ClientEntry = {
  client: Client
  changedAt: number
  confirmedAt: number
  /** An answer to a request from before then does not confirm the entry. */
  forgottenAt: number
  used: boolean
}

/** The clients in memory, and the ids that are known to be unknown. */
export type ClientEntries = {
  get(clientId: string): ClientEntry | undefined
  /** When the registry last said that there is no such client. */
  missedAt(clientId: string): number | undefined
  /** Takes an answer in. @param askedAt when the registry was asked about these clients */
  confirm(known: readonly KnownClient[], answer: RegistryAnswer, askedAt: number): void
  /** Makes an entry count as never confirmed, also by answers that are on their way, and forgets that an id is unknown. */
  forget(clientId: string): void
  /** The clients used since the last call. */
  takeUsed(): Client[]
  /** Drops the clients that were used the longest time ago, where there are too many. */
  evict(): void
}

const mostUnknown = 10_000

/** Creates the memory of the client cache. @param mostClients how many it holds at most */
export function createClientEntries(now: () => number, mostClients: number): ClientEntries {
  const entries = new Map<string, ClientEntry>()
  const unknown = new Map<string, number>()
  /** When any id was forgotten last. An answer to an earlier request may say that a client is unknown which was created meanwhile. */
  let lastForgottenAt = Number.NEGATIVE_INFINITY

  function add(client: Client, askedAt: number): void {
    // Answers can arrive out of order.
    const known = entries.get(client.clientId)
    if (known !== undefined && known.client.revision > client.revision) return
    const forgottenAt = known?.forgottenAt ?? Number.NEGATIVE_INFINITY
    const confirmedAt = askedAt > forgottenAt ? askedAt : Number.NEGATIVE_INFINITY
    entries.set(client.clientId, { client, changedAt: now(), confirmedAt, forgottenAt, used: true })
    unknown.delete(client.clientId)
  }

  return {
    get: (clientId) => entries.get(clientId),
    missedAt: (clientId) => unknown.get(clientId),

    confirm(known, answer, askedAt) {
      for (const { clientId } of known) {
        const entry = entries.get(clientId)
        if (entry && askedAt > entry.forgottenAt) entry.confirmedAt = Math.max(entry.confirmedAt, askedAt)
      }
      for (const client of answer.changed) add(client, askedAt)
      for (const clientId of answer.unknown) {
        // The client was registered meanwhile, and a later answer arrived first.
        if ((entries.get(clientId)?.confirmedAt ?? 0) > askedAt) continue
        entries.delete(clientId)
        if (askedAt > lastForgottenAt) unknown.set(clientId, askedAt)
      }
      shrink(unknown, mostUnknown)
    },

    forget(clientId) {
      lastForgottenAt = now()
      unknown.delete(clientId)
      const entry = entries.get(clientId)
      if (entry === undefined) return
      entry.confirmedAt = Number.NEGATIVE_INFINITY
      entry.forgottenAt = now()
    },

    takeUsed() {
      const used = [...entries.values()].filter((entry) => entry.used)
      for (const entry of used) {
        entry.used = false
        // Move it to the end of the map, so that the least recently used entry is evicted first.
        entries.delete(entry.client.clientId)
        entries.set(entry.client.clientId, entry)
      }
      return used.map(({ client }) => client)
    },

    evict: () => shrink(entries, mostClients),
  }
}

function shrink(map: Map<string, unknown>, most: number): void {
  for (const key of map.keys()) {
    if (map.size <= most) return
    map.delete(key)
  }
}
