import type { Logger } from '@gatehouse/kit/telemetry/log'
import type { CleanUpMetrics } from '@gatehouse/kit/telemetry/metrics'

/** The needs of maintenance. Only the elected replica does it. */
export type MaintenanceDeps = CleanUpMetrics & {
  isElected(): Promise<boolean>
  /** Makes partitions ahead and drops expired ones; resolves to their names. */
  maintainPartitions(): Promise<{ made: string[]; dropped: string[] }>
  /** Functions that delete expired rows, by the name of their table; each resolves to the number of deleted rows. */
  deleteExpired: Record<string, () => Promise<number>>
  countActiveTokens(): Promise<number>
  /** @param count undefined when another replica reports it */
  setActive(count: number | undefined): Promise<void>
  /** Milliseconds since the Unix epoch. */
  now(): number
  log: Logger
}

/** Milliseconds from one clean-up to the next. */
const cleanUpEvery = 3_600_000

/**
 * Creates the maintenance of the token tables.
 * @returns a function that does one round: it counts active tokens each time, and cleans up once an hour
 */
export function createMaintenance(deps: MaintenanceDeps): () => Promise<void> {
  let cleanedUpAt = Number.NEGATIVE_INFINITY

  // A part that fails does not stop the others, and is tried again in the next round.
  async function cleanUp(): Promise<void> {
    const tasks = Object.entries({ partitions: deps.maintainPartitions, ...deps.deleteExpired })
    const results = await Promise.allSettled(tasks.map(([, run]) => run()))
    const done: Record<string, unknown> = {}
    for (const [index, result] of results.entries()) {
      const part = tasks[index]?.[0] ?? ''
      if (result.status === 'fulfilled') {
        done[part] = result.value
        if (typeof result.value === 'number') deps.deleted(part, result.value)
      } else deps.log.warn({ err: result.reason, part }, 'a part of the clean-up failed')
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
