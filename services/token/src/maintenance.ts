import type { Logger } from '@gatehouse/kit/log'

/** What the elected replica does, and the others leave to it. */
export type MaintenanceDeps = {
  isElected(): Promise<boolean>
  /** Makes partitions ahead and drops those that are over; the names of what it did. */
  maintainPartitions(): Promise<{ made: string[]; dropped: string[] }>
  /** What deletes rows that are over, by the name of what they are, and says how many. */
  deleteExpired: Record<string, () => Promise<number>>
  /** Told when everything was cleaned up. */
  cleanedUp(): void
  countActiveTokens(): Promise<number>
  /** undefined: another replica says it. */
  setActive(count: number | undefined): Promise<void>
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
    const tasks = Object.entries({ partitions: deps.maintainPartitions, ...deps.deleteExpired })
    const results = await Promise.allSettled(tasks.map(([, run]) => run()))
    const done: Record<string, unknown> = {}
    for (const [index, result] of results.entries()) {
      const part = tasks[index]?.[0] ?? ''
      if (result.status === 'fulfilled') done[part] = result.value
      else deps.log.warn({ err: result.reason, part }, 'a part of the clean-up failed')
    }
    if (Object.keys(done).length < tasks.length) return
    cleanedUpAt = deps.now()
    deps.cleanedUp()
    deps.log.info(done, 'cleaned up')
  }

  return async () => {
    if (!(await deps.isElected())) {
      await deps.setActive(undefined)
      return
    }
    if (deps.now() - cleanedUpAt >= cleanUpEvery) await cleanUp()
    await deps.setActive(await deps.countActiveTokens())
  }
}
