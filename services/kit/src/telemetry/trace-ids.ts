import { randomFillSync } from 'node:crypto'

/** A generator of the ids of traces and spans. */
export type TraceIds = { generateTraceId(): string; generateSpanId(): string }

/** How many random bytes are drawn at once: a draw costs as much as making some hundred ids. */
const poolBytes = 4_096

/** Makes random ids. Every request needs two, recorded or not. */
export function createTraceIds(): TraceIds {
  const bytes = Buffer.allocUnsafe(poolBytes)
  let pool = ''
  let used = 0

  function draw(digits: number): string {
    if (used + digits > pool.length) {
      pool = randomFillSync(bytes).toString('hex')
      used = 0
    }
    used += digits
    return pool.slice(used - digits, used)
  }

  return { generateTraceId: () => draw(32), generateSpanId: () => draw(16) }
}
