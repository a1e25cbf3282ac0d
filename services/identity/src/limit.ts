import { Refusal } from '@gatehouse/kit/errors'

/** How much work is done at once. */
export type LimitOptions = {
  maxRunning: number
  /** One more is refused at once. */
  maxWaiting: number
}

/** Does a piece of work as soon as its turn comes. */
export type Limited = <Result>(work: () => Promise<Result>) => Promise<Result>

/**
 * Lets a few pieces of work run at once, and the others wait in their order.
 * @returns a function that gives what the work gives, or rejects with a Refusal temporarily_unavailable when too many wait
 */
export function limit({ maxRunning, maxWaiting }: LimitOptions): Limited {
  let running = 0
  const waiting: (() => void)[] = []
  return async (work) => {
    if (running < maxRunning) running += 1
    else if (waiting.length >= maxWaiting) {
      throw new Refusal('temporarily_unavailable', undefined, { detail: 'too much work is waiting' })
    } else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      // The place goes to the next in line, so nobody who comes in between can take it.
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}
