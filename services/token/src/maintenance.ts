import type { Logger } from '@gatehouse/kit/log'

/** What the elected replica does, and the others leave to it. */
export type MaintenanceDeps = {
  isElected(): Promise<boolean>
  /** Makes partitions ahead and drops those that are over; the names of what it did. */
  maintainPartitions(): Promise<{ made: string[]; dropped: string[] }>
  /** How many were deleted. */
  deleteExpiredRevocations(): Promise<number>
  countActiveTokens(): Promise<number>
  /** undefined: another replica says it. */
  setActive(count: number | undefined): void
  /** Milliseconds since the Unix epoch. */
  now(): number
  log: Logger
}

/** Milliseconds from one clean-up to the next. */
const cleanUpEvery = 3_600_000

/**
 * One round of the upkeep of the token tables.
 * @returns the function that does a round: counting each time, cleaning up once an hour
 */
export function createMaintenance(deps: MaintenanceDeps): () => Promise<void> {
  let cleanedUpAt = Number.NEGATIVE_INFINITY

  // One that fails keeps none of the others back, and is tried again with the next round.
  async function cleanUp(): Promise<void> {
    const [partitions, revocations] = await Promise.allSettled([
      deps.maintainPartitions(),
      deps.deleteExpiredRevocations(),
    ])
    for (const done of [partitions, revocations]) {
      if (done.status === 'rejected') deps.log.warn({ err: done.reason }, 'a part of the clean-up failed')
    }
    if (partitions.status === 'rejected' || revocations.status === 'rejected') return
    cleanedUpAt = deps.now()
    deps.log.info({ ...partitions.value, revocations: revocations.value }, 'cleaned up')
  }

  return async () => {
    if (!(await deps.isElected())) {
      deps.setActive(undefined)
      return
    }
    if (deps.now() - cleanedUpAt >= cleanUpEvery) await cleanUp()
    deps.setActive(await deps.countActiveTokens())
  }
}
