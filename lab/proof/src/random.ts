/** Random draws that the same seed repeats. */
export type Random = {
  /** From 0 up to 1. */
  next(): number
  /** From `low` up to `high`. */
  between(low: number, high: number): number
  chance(probability: number): boolean
  /** One of them. @throws RangeError when there is none */
  pick<T>(from: readonly T[]): T
  /** All of them, in another order. */
  shuffled<T>(all: readonly T[]): T[]
}

/** Mulberry32, which is small and random enough to draw faults. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    next,
    between: (low, high) => low + next() * (high - low),
    chance: (probability) => next() < probability,
    pick(from) {
      if (from.length === 0) throw new RangeError('there is nothing to pick from')
      return from[Math.floor(next() * from.length)] as (typeof from)[number]
    },
    shuffled(all) {
      const result = [...all]
      for (let last = result.length - 1; last > 0; last -= 1) {
        const other = Math.floor(next() * (last + 1))
        ;[result[last], result[other]] = [result[other] as never, result[last] as never]
      }
      return result
    },
  }
}
