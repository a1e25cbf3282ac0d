import { Refusal } from '@gatehouse/kit/errors'
import { type CoalesceOptions, coalesce } from '@gatehouse/kit/rpc/coalesce'
import { longestDocumentClientId } from '@gatehouse/proto/client-id-documents'
import type { Client } from './client-authentication.ts'
import { createClientEntries, type KnownClient, type RegistryAnswer } from './client-entries.ts'
import type { SecretUses, UsedSecret } from './secret-uses.ts'

/** The client registry, as the cache needs it. */
export type ClientRegistry = {
  /**
   * @param known client ids, each with the cached revision, or 0
   * @param uses the secrets with which clients have authenticated
   * @param keyUses the keys, each with its thumbprint (RFC 7638) as the digest
   * @returns the clients whose revision differs, and the unknown ids
   */
  lookup(
    known: readonly KnownClient[],
    uses?: readonly UsedSecret[],
    keyUses?: readonly UsedSecret[],
  ): Promise<RegistryAnswer>
}

/** The needs of the cache. */
export type ClientCacheDeps = {
  registry: ClientRegistry
  /** Milliseconds since the Unix epoch. */
  now(): number
  hit(): void
  miss(): void
  /** The secrets in use, which the registry is told of with the next request of `revalidate`. */
  secretUses?: Pick<SecretUses, 'take' | 'giveBack'>
  /** The keys likewise. */
  keyUses?: Pick<SecretUses, 'take' | 'giveBack'>
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

/** In characters. Most ids have 43, but one may be the address of a metadata document; a limit keeps made-up ids from filling the memory. */
const longestClientId = longestDocumentClientId

/**
 * Creates the cache between the token endpoint and the client registry. Disabling or deleting a client takes effect within a
 * second; while the registry is away, cached clients are used for 5 s more.
 */
export function createClientCache(deps: ClientCacheDeps): ClientCache {
  const { registry, now, mostClients = 100_000 } = deps
  const entries = createClientEntries(now, mostClients)
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
      entries.evict()
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

  async function confirm(known: readonly KnownClient[], ...uses: (readonly UsedSecret[])[]): Promise<void> {
    const askedAt = now()
    const answer = await registry.lookup(known, ...uses).catch((error: unknown) => {
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
    entries.confirm(known, answer, askedAt)
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
      const missedAt = entries.missedAt(clientId)
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

    forget: entries.forget,

    async revalidate() {
      const used = entries.takeUsed()
      const uses = deps.secretUses?.take() ?? []
      const keyUses = deps.keyUses?.take() ?? []
      if (used.length + uses.length + keyUses.length === 0) return
      await confirm(used, uses, keyUses).catch((error: unknown) => {
        deps.secretUses?.giveBack(uses)
        deps.keyUses?.giveBack(keyUses)
        throw error
      })
    },
  }
}
