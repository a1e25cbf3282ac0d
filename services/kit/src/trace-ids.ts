import { randomFillSync } from 'node:crypto'

/** The ids of traces and spans. */
export type TraceIds = { generateTraceId(): string; generateSpanId(): string }

/** How many bytes are drawn at once: each draw costs as much as some hundred ids. */
const poolBytes = 4_096

/** Makes ids, at random. Every request needs two, recorded or not. */
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
