import type { Logger } from '@gatehouse/kit/telemetry/log'
import type { CleanUpMetrics } from '@gatehouse/kit/telemetry/metrics'

/** The needs of a clean-up. Only the elected replica does it. */
export type CleaningDeps = CleanUpMetrics & {
  isElected(): Promise<boolean>
  /** The parts by name. Each deletes its expired rows in bounded batches and resolves to their number. */
  parts: Record<string, () => Promise<number>>
  log: Logger
}

/**
 * Creates a clean-up.
 * @returns a function that does one round. A part that fails does not stop the others; the function then throws the first
 * failure
 */
export function createCleaning({
  isElected,
  parts,
  cleanedUp,
  deleted: count,
  log,
}: CleaningDeps): () => Promise<void> {
  return async () => {
    if (!(await isElected())) return
    const deleted: Record<string, number> = {}
    const failures: unknown[] = []
    for (const [name, part] of Object.entries(parts)) {
      try {
        deleted[name] = await part()
        count(name, deleted[name])
      } catch (error) {
        failures.push(error)
      }
    }
    if (Object.values(deleted).some((count) => count > 0)) log.debug(deleted, 'cleaned up')
    if (failures.length > 0) throw failures[0]
    cleanedUp()
  }
}
