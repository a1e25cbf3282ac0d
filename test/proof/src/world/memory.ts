import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { World } from './world.ts'

/** A measurement of a process: bytes, at a time in milliseconds. */
export type Sample = { at: number; bytes: number }

/** The measurements of one process. A restarted process is a new one. */
export type Life = {
  /** e.g. `token-b`. */
  name: string
  pid: number
  resident: Sample[]
  /** The size of the heap after a full garbage collection. */
  live: Sample[]
}

/** Measures every process every few seconds. @returns a function that stops and returns the measurements */
export function watchMemory(world: World): () => Life[] {
  const lives = new Map<number, Life>()
  const timer = setInterval(() => {
    for (const { name, pid } of world.members) {
      const bytes = pid === undefined ? undefined : residentBytes(pid)
      if (pid === undefined || bytes === undefined) continue
      const life = lives.get(pid) ?? { name, pid, resident: [], live: [] }
      life.resident.push({ at: Date.now(), bytes })
      lives.set(pid, life)
    }
  }, 4_000)
  return () => {
    clearInterval(timer)
    for (const file of readdirSync(join(world.directory, 'memory'))) {
      const life = lives.get(Number(file.split('.').at(-2)))
      const lines = readFileSync(join(world.directory, 'memory', file), 'utf8')
        .trim()
        .split('\n')
      // A killed process may have left an incomplete line.
      for (const line of lines) {
        try {
          const { at, live } = JSON.parse(line)
          life?.live.push({ at, bytes: live })
        } catch {}
      }
    }
    return [...lives.values()]
  }
}

function residentBytes(pid: number): number | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Number(/^VmRSS:\s*(\d+) kB/m.exec(text)?.[1]) * 1_024 || undefined
  } catch {
    return undefined
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
