import type { Emit } from '@gatehouse/kit/events/emission'
import type { Logger } from '@gatehouse/kit/telemetry/log'

/** A client that registered itself long enough ago, and of which this service knows no use. */
export type Candidate = {
  clientId: string
  /** With microseconds, which a Date does not have. */
  registeredAt: string
}

/** Stores the known uses of clients that registered themselves. */
export type UnusedRegistrationStore = {
  /**
   * The next candidates, a hundred at most, those first that registered first.
   * @param after the last one that was tried; undefined for the first batch
   */
  list(after: Candidate | undefined): Promise<Candidate[]>
  /** Keeps clients from now on, whether somebody uses them or not. */
  keep(clientIds: readonly string[]): Promise<void>
  /**
   * Deletes a client that is still a candidate. The audit log does not say so, because strangers decide how many there are.
   * @returns the ids of the pending revocations; undefined for a client that is no longer a candidate
   */
  delete(clientId: string): Promise<readonly bigint[] | undefined>
}

/** Finds the clients, among these, of which another service knows a use. */
export type FindUsedClients = (clientIds: readonly string[]) => Promise<readonly string[]>

/** The needs of deleting unused registrations. */
export type UnusedRegistrationDeps = {
  store: UnusedRegistrationStore
  /** The other services, each of which is only asked for clients that the ones before do not know. */
  findUsed: readonly FindUsedClients[]
  /** Tells the token service, now or later; never rejects. */
  deliver(...revocationIds: bigint[]): Promise<void>
  /** Whether the process shuts down. */
  isStopping(): boolean
  emit: Emit
  log: Logger
}

/** A client that is first used between the answer about it and its deletion loses its tokens, so few are asked about together. */
const askedTogether = 10
/** The most batches of one round. Clients beyond these wait for the next round, because other clean-ups wait for this one. */
const mostBatches = 100
/** How many clients may fail before a round ends: then the cause is hardly theirs. */
const mostFailures = 20

/**
 * Creates the clean-up that deletes clients that registered themselves and were never used. Nothing is deleted without the other
 * services' answer. A client of which a use is found is never asked about again.
 * @returns a function that does one round and resolves to the number of deleted clients. A client that cannot be deleted does not stop the
 * others, and is tried again later; the function then throws the first failure. A round that ends early is continued by the next one
 */
export function createUnusedRegistrationCleaning(deps: UnusedRegistrationDeps): () => Promise<number> {
  const { store, deliver, isStopping, emit, log } = deps
  /** The last client that was tried; undefined to begin with the oldest one. */
  let last: Candidate | undefined

  /** Deletes clients one by one, until too many have failed. */
  async function remove(candidates: readonly Candidate[], failures: unknown[]): Promise<string[]> {
    const pending: bigint[] = []
    const deleted: string[] = []
    for (const candidate of candidates) {
      if (isStopping() || failures.length >= mostFailures) break
      last = candidate
      const { clientId } = candidate
      try {
        const revocations = await store.delete(clientId)
        if (revocations === undefined) continue
        deleted.push(clientId)
        pending.push(...revocations)
        emit('client_deleted', { clientId, metadata: {} })
      } catch (error) {
        log.warn({ err: error, clientId }, 'could not delete an unused client; will be tried again')
        failures.push(error)
      }
    }
    await deliver(...pending)
    return deleted
  }

  /** Asks about some clients and deletes them before it asks about the next ones. @returns how many were deleted */
  async function removeUnused(candidates: readonly Candidate[], failures: unknown[]): Promise<number> {
    const clientIds: string[] = []
    try {
      for (let start = 0; start < candidates.length; start += askedTogether) {
        if (isStopping() || failures.length >= mostFailures) break
        const some = candidates.slice(start, start + askedTogether)
        const used = await usedAmong(
          some.map(({ clientId }) => clientId),
          deps.findUsed,
        )
        await store.keep([...used])
        const unused = some.filter(({ clientId }) => !used.has(clientId))
        clientIds.push(...(await remove(unused, failures)))
      }
    } finally {
      if (clientIds.length > 0)
        log.info({ count: clientIds.length, clientIds }, 'deleted clients that nobody had used')
    }
    return clientIds.length
  }

  return async () => {
    const failures: unknown[] = []
    let count = 0
    for (let batch = 0; batch < mostBatches && failures.length < mostFailures && !isStopping(); batch += 1) {
      const candidates = await store.list(last)
      if (candidates.length === 0) {
        last = undefined
        break
      }
      count += await removeUnused(candidates, failures)
    }
    if (failures.length > 0) throw failures[0]
    return count
  }
}

async function usedAmong(
  clientIds: readonly string[],
  findUsed: readonly FindUsedClients[],
): Promise<ReadonlySet<string>> {
  const used = new Set<string>()
  for (const find of findUsed) {
    const unknown = clientIds.filter((clientId) => !used.has(clientId))
    if (unknown.length > 0) for (const clientId of await find(unknown)) used.add(clientId)
  }
  return used
}
