import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { World } from './world.ts'

/** One look at a process: bytes, at a time in milliseconds. */
export type Sample = { at: number; bytes: number }

/** What one process held over its life. A process that was started again is another one. */
export type Life = {
  /** e.g. `token-b`. */
  name: string
  pid: number
  resident: Sample[]
  /** What was still referred to after a full collection. */
  live: Sample[]
}

/** Looks at what every process holds, every few seconds. @returns the function that ends it */
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
      // A process that was killed may have left half a line.
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
 * The slope of a line through points, by Theil and Sen: the median of the slopes of all pairs, which a few odd points
 * do not move.
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

/** @returns undefined for none */
export function median(values: readonly number[]): number | undefined {
  if (values.length === 0) return undefined
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] as number
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2
}

/** What a life shows. Bytes, and bytes an hour. */
export type Growth = {
  name: string
  /** Seconds after the warm-up. */
  seconds: number
  resident: { start: number; end: number; slope: number; laterSlope: number }
  live: { start: number; end: number; slope: number } | undefined
}

/**
 * What a process's memory did once it was warm.
 * @param warmUpMs from its start; a run of code that is compiled and a pool that fills are no leak
 * @param shortestMs what is left must be so long, or it says nothing
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
