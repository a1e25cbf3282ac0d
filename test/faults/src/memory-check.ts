import type { Check } from './checks.ts'
import type { Growth } from './memory.ts'

const mebibyte = 1_048_576

/**
 * What a heap may hold more after an hour, in bytes, for each request that the run made. A leak keeps something for each
 * request of some kind; the least that keeps anything of one, an entry of a map with an id in it, takes some 100 bytes,
 * and each replica serves half of the requests. Below the floor the slope says nothing: caches that are bounded fill up.
 */
const liveBytesARequest = 50
const liveFloor = 8 * mebibyte

/**
 * Resident memory is noise beside that: pages that a collector gives back or not, and code that is compiled. It finds what
 * grows outside of the heap. A process that settles grows less and less, so the later half must be as steep as the bound,
 * too.
 */
const residentBound = 60 * mebibyte

/** A young generation is touched bit by bit until all of it is resident: less than that is no growth. */
const residentFloor = 64 * mebibyte

/** The bound for what a heap holds, in bytes an hour. @param requestsAnHour of the whole run */
export function liveBound(requestsAnHour: number): number {
  return Math.max(liveFloor, liveBytesARequest * requestsAnHour)
}

/** No process that lived long enough holds more and more. */
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
  return { name: 'no process holds more and more memory', checked: growths.length, failures }
}

/** Bytes an hour, for people. */
export function perHour(slope: number): string {
  return `${(slope / mebibyte).toFixed(1)} MiB/h`
}

/** Bytes, for people. */
export function mebibytes(bytes: number): string {
  return (bytes / mebibyte).toFixed(1)
}
