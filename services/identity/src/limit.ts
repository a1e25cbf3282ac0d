import { Refusal } from '@gatehouse/kit/errors'
import pLimit from 'p-limit'

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
  const places = pLimit(maxRunning)
  return async (work) => {
    if (places.activeCount >= maxRunning && places.pendingCount >= maxWaiting)
      throw new Refusal('temporarily_unavailable', undefined, { detail: 'too much work is waiting' })
    return places(work)
  }
}
