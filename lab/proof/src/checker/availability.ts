import type { Line, OperationName } from '../history/lines.ts'

/** How a kind of operation was answered. */
export type Availability = {
  name: OperationName
  asked: number
  ok: number
  refused: number
  unknown: number
  /** The longest time, in milliseconds, from a request that was not answered or answered 503 until the next good answer. */
  longestGap: number
}

/** Measures how the system was available, before it was calm. */
export async function measureAvailability(lines: AsyncIterable<Line>): Promise<Availability[]> {
  const all = new Map<OperationName, Availability & { failingSince: number | undefined }>()
  for await (const line of lines) {
    if (line.is === 'calm') break
    if (line.is !== 'operation' || line.name === 'verify') continue
    const { name, outcome, invoked, returned } = line
    const one = all.get(name) ?? {
      ...{ name, asked: 0, ok: 0, refused: 0, unknown: 0, longestGap: 0 },
      failingSince: undefined,
    }
    one.asked += 1
    one[outcome] += 1
    if (outcome === 'unknown') one.failingSince ??= invoked
    else if (one.failingSince !== undefined) {
      one.longestGap = Math.max(one.longestGap, returned - one.failingSince)
      one.failingSince = undefined
    }
    all.set(name, one)
  }
  return [...all.values()].map(({ failingSince: _, ...one }) => one)
}
