import type { Check } from '../checker/check.ts'
import type { Plant } from './plants.ts'

/** The result for a planted defect. */
export type Planted = {
  plant: Plant
  /** The findings of the check that must find it. */
  findings: number
  /** When the first of them was seen, in milliseconds since the start of the run; undefined when there is none. */
  found: number | undefined
  /** The other checks that found something. */
  others: string[]
}

/** Picks the findings of checks about a planted defect. */
export function plantedOf(plant: Plant, checks: readonly Check[]): Planted {
  const failures = checks.find(({ name }) => name === plant.foundBy)?.failures ?? []
  return {
    plant,
    findings: failures.length,
    found:
      failures.length === 0
        ? undefined
        : Math.min(...failures.map(({ at }) => at ?? Number.POSITIVE_INFINITY)),
    others: checks
      .filter((check) => check.failures.length > 0 && check.name !== plant.foundBy)
      .map(({ name }) => name),
  }
}
