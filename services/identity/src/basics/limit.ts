import { Refusal } from '@gatehouse/kit/errors'
import pLimit from 'p-limit'

/** How much work may run and wait at once. */
export type LimitOptions = {
  maxRunning: number
  /** Beyond this, work is refused without waiting. */
  maxWaiting: number
}

/** Runs a piece of work as soon as its turn comes. */
export type Limited = <Result>(work: () => Promise<Result>) => Promise<Result>

/**
 * Runs a few pieces of work at once and queues the others in order.
 * @returns a function that settles as the work does, or rejects with a Refusal temporarily_unavailable when too many wait
 */
export function limit({ maxRunning, maxWaiting }: LimitOptions): Limited {
  const places = pLimit(maxRunning)
  return async (work) => {
    if (places.activeCount >= maxRunning && places.pendingCount >= maxWaiting)
      throw new Refusal('temporarily_unavailable', undefined, {
        retryAfter: 1,
        detail: 'too much work is waiting',
      })
    return places(work)
  }
}
