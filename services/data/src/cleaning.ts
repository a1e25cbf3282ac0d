import type { Logger } from '@gatehouse/kit/log'

/** What the elected replica cleans up, and the others leave to it. */
export type CleaningDeps = {
  isElected(): Promise<boolean>
  /** What is over, by name; each deletes its rows in bounded batches and says how many they were. */
  parts: Record<string, () => Promise<number>>
  /** Told when nothing failed. */
  cleanedUp(): void
  log: Logger
}

/**
 * One round of cleaning up.
 * @returns the function that does a round. A part that fails keeps none of the others back
 */
export function createCleaning({ isElected, parts, cleanedUp, log }: CleaningDeps): () => Promise<void> {
  return async () => {
    if (!(await isElected())) return
    const deleted: Record<string, number> = {}
    const failures: unknown[] = []
    for (const [name, part] of Object.entries(parts)) {
      try {
        deleted[name] = await part()
      } catch (error) {
        failures.push(error)
      }
    }
    if (Object.values(deleted).some((count) => count > 0)) log.debug(deleted, 'cleaned up')
    if (failures.length > 0) throw failures[0]
    cleanedUp()
  }
}
