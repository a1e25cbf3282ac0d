import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The measurement that a process makes of itself: its memory in bytes, in milliseconds since it began. */
export type Measurement = NodeJS.MemoryUsage & {
  at: number
  /** Whether it comes right after a full garbage collection. */
  isCollected: boolean
}

/** A measured size: bytes, in milliseconds since the process began. */
export type Sample = { at: number; bytes: number }

/** The measurements of one process. A restarted process is a new one. */
export type Life = {
  /** e.g. `token-b`. */
  name: string
  resident: Sample[]
  /** The size of the heap after a full garbage collection. */
  live: Sample[]
}

/** Reads what every process measured, one file for each. @param directory that of the files */
export function readLives(directory: string): Life[] {
  return readdirSync(directory).map((file) => {
    const measurements = readFileSync(join(directory, file), 'utf8')
      .trim()
      .split('\n')
      .flatMap(readMeasurement)
    return {
      name: file.split('.')[0] ?? '',
      resident: measurements.map(({ at, rss }) => ({ at, bytes: rss })),
      live: measurements
        .filter(({ isCollected }) => isCollected)
        .map(({ at, heapUsed, external }) => ({ at, bytes: heapUsed + external })),
    }
  })
}

/** @returns nothing for an incomplete line, which a killed process may have left */
function readMeasurement(line: string): Measurement[] {
  try {
    return [JSON.parse(line)]
  } catch {
    return []
  }
}

const hour = 3_600_000

/**
 * The slope of a line through the points by the Theil–Sen estimator: the median of the slopes of all pairs, which is robust
 * against outliers.
 * @returns bytes an hour; undefined for fewer than three points
 */
export function theilSen(samples: readonly Sample[]): number | undefined {
  if (samples.length < 3) return undefined
  const slopes: number[] = []
  for (let last = 1; last < samples.length; last += 1) {
    for (let first = 0; first < last; first += 1) {
      const [from, to] = [samples[first] as Sample, samples[last] as Sample]
      if (to.at > from.at) slopes.push(((to.bytes - from.bytes) / (to.at - from.at)) * hour)
    }
  }
  return median(slopes)
}

/** @returns undefined for an empty list */
export function median(values: readonly number[]): number | undefined {
  if (values.length === 0) return undefined
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] as number
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2
}

/** The memory growth of a process, in bytes and bytes an hour. */
export type Growth = {
  name: string
  /** Seconds after the warm-up. */
  seconds: number
  resident: { start: number; end: number; slope: number; laterSlope: number }
  live: { start: number; end: number; slope: number } | undefined
}

/**
 * The memory growth of a process after its warm-up.
 * @param warmUpMs the warm-up from its start, in which compiled code and filling pools are no leak
 * @param shortestMs the shortest period after it that gives a meaningful result
 */
export function growthOf(life: Life, warmUpMs: number, shortestMs: number): Growth | undefined {
  const [first] = life.resident
  const last = life.resident.at(-1)
  if (!first || !last) return undefined
  const warm = first.at + warmUpMs
  if (last.at - warm < shortestMs) return undefined
  const after = (samples: readonly Sample[], from: number) => samples.filter(({ at }) => at >= from)
  const resident = after(life.resident, warm)
  const live = after(life.live, warm)
  const slope = theilSen(resident)
  const laterSlope = theilSen(after(resident, (warm + last.at) / 2))
  if (slope === undefined || laterSlope === undefined) return undefined
  const liveSlope = theilSen(live)
  return {
    name: life.name,
    seconds: (last.at - warm) / 1_000,
    resident: { ...ends(resident), slope, laterSlope },
    live: liveSlope === undefined ? undefined : { ...ends(live), slope: liveSlope },
  }
}

/** Medians of the first and the last tenth. */
function ends(samples: readonly Sample[]): { start: number; end: number } {
  const bytes = samples.map((sample) => sample.bytes)
  const tenth = Math.max(1, Math.floor(bytes.length / 10))
  return { start: median(bytes.slice(0, tenth)) ?? 0, end: median(bytes.slice(-tenth)) ?? 0 }
}
