import { type CoalesceOptions, coalesce } from '@gatehouse/kit/coalesce'
import { Refusal } from '@gatehouse/kit/errors'
import type { Client } from './client-authentication.ts'

/** The client registry, as the cache needs it. */
export type ClientRegistry = {
  /**
   * @param known client ids, each with the cached revision, or 0
   * @returns the clients whose revision differs, and the unknown ids
   */
  lookup(known: readonly KnownClient[]): Promise<{ changed: Client[]; unknown: string[] }>
}

/** A client id with its cached revision. */
export type KnownClient = { clientId: string; revision: bigint }

/** What the cache needs. */
export type ClientCacheDeps = {
  registry: ClientRegistry
  /** Milliseconds since the Unix epoch. */
  now(): number
  hit(): void
  miss(): void
  /** The most clients it holds; by default 100,000. */
  mostClients?: number
  /** Called when the registry stops answering, and with undefined when it answers again. */
  unreachable(error: unknown): void
}

/** The clients used lately, each as the registry had it a moment ago. */
export type ClientCache = {
  /**
   * @returns the client, or undefined when there is none
   * @throws Refusal temporarily_unavailable when the registry is away and nothing recent is cached
   */
  find(clientId: string): Promise<Client | undefined>
  /**
   * Asks the registry about a client after a decision that depends on it. Concurrent calls share one request, so that
   * somebody who guesses secrets causes little load.
   * @param since when the decision began, in milliseconds since the Unix epoch
   * @returns whether the client has changed since then; false when the registry does not answer
   */
  refresh(clientId: string, since: number): Promise<boolean>
  /** Makes the next `find` look the client up again. */
  forget(clientId: string): void
  /** Asks the registry which of the clients used since the last call have changed: one request, whatever the load. */
  revalidate(): Promise<void>
}

/** All in milliseconds. A client confirmed this recently is used without asking, so a change applies within a second. */
const fresh = 900
/** How much longer a client is used while the registry is away. */
const graceWhileUnreachable = 5_000
/** How long an unknown id is remembered. */
const freshUnknown = 1_000
const lookupTimeout = 2_000
const refreshTimeout = 500

/** How long the registry is left alone after it did not answer. */
const pauseAfterFailure = 1_000

/** In characters. Our ids have 43; a limit keeps made-up ids from filling the memory. */
const longestClientId = 100
const mostUnknown = 10_000

type Entry = {
  client: Client
  changedAt: number
  confirmedAt: number
  /** An answer to a request from before then does not confirm the entry. */
  forgottenAt: number
  used: boolean
}

/**
 * Creates the cache between the token endpoint and the client registry. Disabling or deleting a client takes effect within a
 * second; while the registry is away, cached clients are used for 5 s more.
 */
export function createClientCache(deps: ClientCacheDeps): ClientCache {
  const { registry, now, mostClients = 100_000 } = deps
  const entries = new Map<string, Entry>()
  const unknown = new Map<string, number>()
  /** When the registry last failed to answer, or undefined while it answers. */
  let failedAt: number | undefined
  let answeredAt = Number.NEGATIVE_INFINITY

  const isAway = () => failedAt !== undefined && now() - failedAt < pauseAfterFailure
  const sharing: CoalesceOptions<string, Client | undefined> = {
    run: async (clientIds) => {
      const ids = [...new Set(clientIds)]
      await confirm(
        ids.map((clientId) => ({ clientId, revision: entries.get(clientId)?.client.revision ?? 0n })),
      )
      const found = clientIds.map((clientId) => entries.get(clientId)?.client)
      // Evict only after reading the results: an old entry that has just been confirmed is among the first to go.
      evict(entries, mostClients)
      return found
    },
    maxItems: 500,
    maxConcurrent: 4,
    maxQueued: 10_000,
    timeoutMs: lookupTimeout,
    now,
  }
  const ask = coalesce(sharing)
  // For the check before a refusal: requests that share it with a wrong secret must not wait long for a registry that hangs.
  const askQuickly = coalesce({ ...sharing, timeoutMs: refreshTimeout })

  async function confirm(known: readonly KnownClient[]): Promise<void> {
    const askedAt = now()
    const answer = await registry.lookup(known).catch((error: unknown) => {
      // Ignore a failed request that began before the last answer: the registry is back since then.
      if (askedAt >= answeredAt) {
        if (failedAt === undefined) deps.unreachable(error)
        failedAt = now()
      }
      throw error
    })
    if (failedAt !== undefined) deps.unreachable(undefined)
    failedAt = undefined
    answeredAt = now()
    for (const { clientId } of known) {
      const entry = entries.get(clientId)
      if (entry && askedAt > entry.forgottenAt) entry.confirmedAt = Math.max(entry.confirmedAt, askedAt)
    }
    for (const client of answer.changed) {
      // Answers can arrive out of order.
      const known = entries.get(client.clientId)
      if (known !== undefined && known.client.revision > client.revision) continue
      const forgottenAt = known?.forgottenAt ?? Number.NEGATIVE_INFINITY
      const confirmedAt = askedAt > forgottenAt ? askedAt : Number.NEGATIVE_INFINITY
      entries.set(client.clientId, { client, changedAt: now(), confirmedAt, forgottenAt, used: true })
      unknown.delete(client.clientId)
    }
    for (const clientId of answer.unknown) {
      // The client was registered meanwhile, and a later answer arrived first.
      if ((entries.get(clientId)?.confirmedAt ?? 0) > askedAt) continue
      entries.delete(clientId)
      unknown.set(clientId, askedAt)
    }
    evict(unknown, mostUnknown)
  }

  return {
    async find(clientId) {
      // No client has such an id, and one that PostgreSQL cannot store would fail the whole shared request.
      if (clientId.length > longestClientId || clientId.includes('\0')) return undefined
      const entry = entries.get(clientId)
      const age = entry ? now() - entry.confirmedAt : Number.POSITIVE_INFINITY
      const mayServe = fresh + (failedAt === undefined ? 0 : graceWhileUnreachable)
      if (entry && age <= mayServe) {
        entry.used = true
        deps.hit()
        return entry.client
      }
      const missedAt = unknown.get(clientId)
      if (missedAt !== undefined && now() - missedAt <= freshUnknown) return undefined
      deps.miss()
      // Fail at once: a batch waits for its slowest item, so a client that cannot be looked up must not hold up the others.
      if (isAway()) {
        throw new Refusal('temporarily_unavailable', undefined, { detail: 'the client registry is away' })
      }
      return ask(clientId).catch((error: unknown) => {
        if (entry && age <= fresh + graceWhileUnreachable) return entry.client
        throw new Refusal('temporarily_unavailable', undefined, { cause: error })
      })
    },

    async refresh(clientId, since) {
      const entry = entries.get(clientId)
      // The registry chooses the ids, so an unknown id stays unknown.
      if (entry === undefined || isAway()) return false
      const current = await askQuickly(clientId).catch(() => entry.client)
      // Another call may have updated the entry between the decision and now.
      return current !== entry.client || entry.changedAt >= since
    },

    forget(clientId) {
      const entry = entries.get(clientId)
      if (entry === undefined) return
      entry.confirmedAt = Number.NEGATIVE_INFINITY
      entry.forgottenAt = now()
    },

    async revalidate() {
      const used = [...entries.values()].filter((entry) => entry.used)
      for (const entry of used) {
        entry.used = false
        // Move it to the end of the map, so that the least recently used entry is evicted first.
        entries.delete(entry.client.clientId)
        entries.set(entry.client.clientId, entry)
      }
      if (used.length > 0) await confirm(used.map(({ client }) => client))
    },
  }
}

function evict(map: Map<string, unknown>, most: number): void {
  for (const key of map.keys()) {
    if (map.size <= most) return
    map.delete(key)
  }
}
