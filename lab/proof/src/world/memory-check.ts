import type { Check } from '../checker/check.ts'
import type { Growth } from './memory.ts'

const mebibyte = 1_048_576

/**
 * How much a heap may grow in an hour, in bytes for each request of the run. A leak keeps something for each request of some
 * kind. The smallest such leak, an entry of a map with an id, takes some 100 bytes, and each replica serves half of the
 * requests. Below the floor, growth means nothing, because bounded caches fill up.
 */
const liveBytesARequest = 50
const liveFloor = 8 * mebibyte

/**
 * Resident memory is noisy: a collector returns pages or not, and code is compiled. It is checked to find growth outside of
 * the heap. A settling process grows less and less, so the later half must exceed the bound as well.
 */
const residentBound = 60 * mebibyte

/** The young generation becomes resident bit by bit, so less growth than its size means nothing. */
const residentFloor = 64 * mebibyte

/** The bound for a heap's growth, in bytes an hour. @param requestsAnHour of the whole run */
export function liveBound(requestsAnHour: number): number {
  return Math.max(liveFloor, liveBytesARequest * requestsAnHour)
}

/** Checks that no process that ran long enough uses more and more memory. */
export function checkMemory(growths: readonly Growth[], requestsAnHour: number): Check {
  const bound = liveBound(requestsAnHour)
  const failures = growths.flatMap(({ name, resident, live }) => [
    ...(live && live.slope > bound
      ? [`${name}: the heap holds ${perHour(live.slope)} more, the bound is ${perHour(bound)}`]
      : []),
    ...(resident.slope > residentBound &&
    resident.laterSlope > residentBound &&
    resident.end - resident.start > residentFloor
      ? [`${name}: ${perHour(resident.slope)} more are resident, the bound is ${perHour(residentBound)}`]
      : []),
  ])
  return {
    name: 'no process uses more and more memory',
    checked: growths.length,
    failures: failures.map((text) => ({ text })),
  }
}

/** Formats bytes an hour. */
export function perHour(slope: number): string {
  return `${(slope / mebibyte).toFixed(1)} MiB/h`
}

/** Formats bytes as MiB. */
export function mebibytes(bytes: number): string {
  return (bytes / mebibyte).toFixed(1)
}
