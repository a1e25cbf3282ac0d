import type { Emit } from '@gatehouse/kit/emission'
import type { Logger } from '@gatehouse/kit/log'

/** A client that registered itself long enough ago, and of which this service knows no use. */
export type Candidate = {
  clientId: string
  /** With microseconds, which a Date does not have. */
  registeredAt: string
}

/** Stores what is known of the use of clients that registered themselves. */
export type UnusedRegistrationStore = {
  /**
   * The next candidates, those first that registered first.
   * @param after the last one of the previous batch; undefined for the first batch
   */
  list(after: Candidate | undefined): Promise<Candidate[]>
  /** Keeps clients from now on, whether somebody uses them or not. */
  keep(clientIds: readonly string[]): Promise<void>
  /**
   * Deletes a client that is still a candidate, in the way in which an administrator would. The server itself is the actor.
   * @returns the ids of the pending revocations; undefined for a client that is no longer a candidate
   */
  delete(clientId: string): Promise<readonly bigint[] | undefined>
}

/** Finds the clients, among these, of which another service knows a use. */
export type FindUsedClients = (clientIds: readonly string[]) => Promise<readonly string[]>

/** What deleting unused registrations needs. */
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

/** The most batches of one round. What is left waits for the next round, because other clean-ups wait for this one. */
const mostBatches = 100
/** How many clients may fail before a round ends: then the cause is hardly theirs. */
const mostFailures = 20

/**
 * Creates the clean-up that deletes clients that registered themselves and were never used. Nothing is deleted without the other
 * services' answer. A client of which a use is found is never asked about again.
 * @returns a function that does one round and resolves to the number of deleted clients. A client that cannot be deleted does not stop the
 * others, and is tried again in the next round; the function then throws the first failure
 */
export function createUnusedRegistrationCleaning(deps: UnusedRegistrationDeps): () => Promise<number> {
  const { store, deliver, isStopping, emit, log } = deps

  async function remove(clientIds: readonly string[], failures: unknown[]): Promise<number> {
    const pending: bigint[] = []
    let deleted = 0
    for (const clientId of clientIds) {
      if (isStopping() || failures.length >= mostFailures) break
      try {
        const revocations = await store.delete(clientId)
        if (revocations === undefined) continue
        deleted += 1
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

  return async () => {
    const failures: unknown[] = []
    let deleted = 0
    let last: Candidate | undefined
    for (let batch = 0; batch < mostBatches && failures.length < mostFailures && !isStopping(); batch += 1) {
      const candidates = await store.list(last)
      last = candidates.at(-1)
      if (last === undefined) break
      const clientIds = candidates.map(({ clientId }) => clientId)
      const used = await usedAmong(clientIds, deps.findUsed)
      await store.keep([...used])
      deleted += await remove(
        clientIds.filter((clientId) => !used.has(clientId)),
        failures,
      )
    }
    if (failures.length > 0) throw failures[0]
    return deleted
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
