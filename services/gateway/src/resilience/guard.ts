import { AsyncResource } from 'node:async_hooks'
import { bulkhead, isBulkheadRejectedError } from 'cockatiel'
import type { Circuit } from './circuit.ts'
import { isUnavailable, unavailable } from './failures.ts'
import type { RetryBudget } from './retry-budget.ts'

/** The limits on calls from the gateway to one service. */
export type GuardOptions = {
  service: string
  circuit: Circuit
  budget: RetryBudget
  /** The most calls that may be under way. */
  calls: number
  /** The most calls that may wait. */
  waiting: number
  /** How long one call may take, in milliseconds. */
  timeoutMs: number
  /** Called for each call that was refused for lack of room. */
  rejected(): void
  /** Called for each call that is repeated. */
  retried(): void
  /** Milliseconds since the Unix epoch. */
  now(): number
  /** From 0 to 1. */
  random(): number
  pause(ms: number): Promise<unknown>
}

/** Lets calls to one service through while it answers, and no more than it can take. */
export type Guard = {
  /** @throws Refusal temporarily_unavailable while the circuit refuses calls */
  admit(): void
  /**
   * Makes a call.
   * @param call makes one attempt; it gets the attempt's deadline, in milliseconds since the Unix epoch
   * @param deadline the deadline of all attempts, in milliseconds since the Unix epoch
   * @param repeatable whether the call may safely be made twice
   * @throws the error of the call, or a Refusal temporarily_unavailable instead of it
   */
  run<Result>(
    call: (deadline: number) => Promise<Result>,
    deadline: number,
    repeatable: boolean,
  ): Promise<Result>
}

/** In milliseconds: the pause before a call is repeated is random between these, so that not all are repeated at once. */
const shortestPause = 20
const longestPause = 120

/** Creates the guard of one service. */
export function createGuard(options: GuardOptions): Guard {
  const { service, circuit, budget, timeoutMs, now } = options
  const room = bulkhead(options.calls, options.waiting)

  /** Makes one call, or a second one when that is safe and there is time for it. */
  async function attempt<Result>(
    call: (deadline: number) => Promise<Result>,
    deadline: number,
    repeatable: boolean,
  ): Promise<Result> {
    const once = () => call(Math.min(deadline, now() + timeoutMs))
    budget.called()
    try {
      return await once()
    } catch (error) {
      const pauseMs = shortestPause + options.random() * (longestPause - shortestPause)
      const inTime = deadline - now() - pauseMs >= timeoutMs
      if (!repeatable || !isUnavailable(error) || !inTime || !budget.take()) throw error
      options.retried()
      await options.pause(pauseMs)
      return once()
    }
  }

  return {
    admit: circuit.admit,
    async run(call, deadline, repeatable) {
      circuit.admit()
      const work = () => {
        if (now() >= deadline) throw unavailable(`no room at ${service} within the deadline`)
        return circuit.run(() => attempt(call, deadline, repeatable))
      }
      try {
        // A waiting call is begun by the request that makes room for it, and must not continue that request's trace.
        return await room.execute(room.executionSlots > 0 ? work : AsyncResource.bind(work))
      } catch (error) {
        if (!isBulkheadRejectedError(error)) throw error
        options.rejected()
        throw unavailable(`too many calls wait for ${service}`)
      }
    },
  }
}
