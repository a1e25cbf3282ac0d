import { randomBytes } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Measurement } from './memory.ts'

// Loaded into every process of a run before its own main.ts. Only referenced objects survive a full garbage collection;
// without one, uncollected garbage would look like a leak.

const directory = process.env.GATEHOUSE_PROOF_MEMORY
const name = process.env.GATEHOUSE_PROOF_NAME
const everyMs = 4_000
/** One of this many measurements comes after a full garbage collection. */
const collectedOneIn = 5

if (directory && name && globalThis.gc) {
  // Not the process id alone, because a later process may get the same one.
  const file = join(directory, `${name}.${process.pid}.${randomBytes(4).toString('hex')}.jsonl`)
  let measured = 0
  setInterval(() => {
    measured += 1
    const isCollected = measured % collectedOneIn === 0
    if (isCollected) globalThis.gc?.()
    // The monotonic clock, because the other one may jump.
    const measurement: Measurement = { at: performance.now(), isCollected, ...process.memoryUsage() }
    appendFileSync(file, `${JSON.stringify(measurement)}\n`)
  }, everyMs).unref()
}
