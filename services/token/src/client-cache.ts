import { type CoalesceOptions, coalesce } from '@gatehouse/kit/coalesce'
import { Refusal } from '@gatehouse/kit/errors'
import type { Client } from './client-authentication.ts'

/** What the client registry is asked. */
export type ClientRegistry = {
  /**
   * @param known ids, with the revision that is known of each, or 0
   * @returns the clients that have another revision now, and the ids that no client has
   */
  lookup(known: readonly KnownClient[]): Promise<{ changed: Client[]; unknown: string[] }>
}

/** A client id with the revision that is known of it. */
export type KnownClient = { clientId: string; revision: bigint }

/** What the cache needs. */
export type ClientCacheDeps = {
  registry: ClientRegistry
  /** Milliseconds since the Unix epoch. */
  now(): number
  hit(): void
  miss(): void
  /** How many clients it holds at the most; by default 100,000. */
  mostClients?: number
  /** Told when the registry stops answering, and with undefined when it answers again. */
  unreachable(error: unknown): void
}

/** The clients that were used lately, each known to be as the registry had it a moment ago. */
export type ClientCache = {
  /**
   * @returns the client, or undefined where there is none
   * @throws Refusal temporarily_unavailable when the registry cannot be asked and nothing recent is known
   */
  find(clientId: string): Promise<Client | undefined>
  /**
   * Asks the registry about a client that a decision has just been made by. Those who ask in the same moment share the
   * question, so that guessing secrets costs little.
   * @param since when the decision began, in milliseconds since the Unix epoch
   * @returns whether the client is another one than it was then; false where the registry does not answer
   */
  refresh(clientId: string, since: number): Promise<boolean>
  /** Has a client looked up before it is used again. */
  forget(clientId: string): void
  /** Asks the registry what changed among the clients used since the last time: one call, whatever the load. */
  revalidate(): Promise<void>
}

/** All in milliseconds: what was confirmed this long ago is used without asking, so a change counts within a second. */
const fresh = 900
/** How much longer a client serves while the registry cannot be asked. */
const graceWhileUnreachable = 5_000
/** How long an id that no client has is remembered. */
const freshUnknown = 1_000
const lookupTimeout = 2_000
const refreshTimeout = 500

/** How long nobody asks again after the registry did not answer. */
const pauseAfterFailure = 1_000

/** In characters: ours have 43, and what anybody sends must not fill the memory. */
const longestClientId = 100
const mostUnknown = 10_000

type Entry = {
  client: Client
  changedAt: number
  confirmedAt: number
  /** What was asked before then confirms nothing. */
  forgottenAt: number
  used: boolean
}

/**
 * The cache between the token endpoint and the client registry. A client that is disabled or deleted counts within
 * a second; while the registry is away, clients serve 5 s more.
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
      // Only now: an old entry that has just been confirmed is among the first to go.
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
  // Before a refusal: those who share a call with a wrong secret must not wait long for a registry that hangs.
  const askQuickly = coalesce({ ...sharing, timeoutMs: refreshTimeout })

  async function confirm(known: readonly KnownClient[]): Promise<void> {
    const askedAt = now()
    const answer = await registry.lookup(known).catch((error: unknown) => {
      // One that was answered since says more than a question that got stuck before.
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
      // Two answers may overtake each other.
      const known = entries.get(client.clientId)
      if (known !== undefined && known.client.revision > client.revision) continue
      const forgottenAt = known?.forgottenAt ?? Number.NEGATIVE_INFINITY
      const confirmedAt = askedAt > forgottenAt ? askedAt : Number.NEGATIVE_INFINITY
      entries.set(client.clientId, { client, changedAt: now(), confirmedAt, forgottenAt, used: true })
      unknown.delete(client.clientId)
    }
    for (const clientId of answer.unknown) {
      // Registered since, and a later answer said so first.
      if ((entries.get(clientId)?.confirmedAt ?? 0) > askedAt) continue
      entries.delete(clientId)
      unknown.set(clientId, askedAt)
    }
    evict(unknown, mostUnknown)
  }

  return {
    async find(clientId) {
      // Neither is an id of ours, and one that cannot be stored would fail everybody's question.
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
      // A batch waits for its slowest item: one that cannot be looked up must not hold the others.
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
      // Nobody registers a client under an id of their own choice, so one that is unknown stays unknown.
      if (entry === undefined || isAway()) return false
      const current = await askQuickly(clientId).catch(() => entry.client)
      // Others may have asked between the decision and now.
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
        // To the end of the map: what was not used for longest is evicted first.
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
