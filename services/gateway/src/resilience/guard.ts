import { AsyncResource } from 'node:async_hooks'
import { bulkhead, isBulkheadRejectedError } from 'cockatiel'
import type { Circuit } from './circuit.ts'
import { isUnavailable, unavailable } from './failures.ts'
import type { RetryBudget } from './retry-budget.ts'

/** What stands between the gateway and one service. */
export type GuardOptions = {
  service: string
  circuit: Circuit
  budget: RetryBudget
  /** How many calls are under way at the most. */
  calls: number
  /** How many wait for those at the most. */
  waiting: number
  /** How long one call may take, in milliseconds. */
  timeoutMs: number
  /** Told of a call for which there was no room. */
  rejected(): void
  /** Told of a call that is repeated. */
  retried(): void
  /** Milliseconds since the Unix epoch. */
  now(): number
  /** From 0 to 1. */
  random(): number
  pause(ms: number): Promise<unknown>
}

/** Lets calls to one service through, as many as it can take, while it answers. */
export type Guard = {
  /** @throws Refusal temporarily_unavailable while calls would be refused because the service fails */
  admit(): void
  /**
   * Makes a call.
   * @param call takes the deadline of one try, in milliseconds since the Unix epoch
   * @param deadline of all of it
   * @param repeatable whether nothing changes by it, so that it may be made twice
   * @throws what the call throws, or a Refusal temporarily_unavailable instead of it
   */
  run<Result>(
    call: (deadline: number) => Promise<Result>,
    deadline: number,
    repeatable: boolean,
  ): Promise<Result>
}

/** Before a call is made again, in milliseconds: between these, so that not all come back at once. */
const shortestPause = 20
const longestPause = 120

/** A guard through which nothing has gone yet. */
export function createGuard(options: GuardOptions): Guard {
  const { service, circuit, budget, timeoutMs, now } = options
  const room = bulkhead(options.calls, options.waiting)

  /** One call, or two where that is safe and there is time for another whole one. */
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
        // What waits is begun by the request that makes room for it, and must not take that one's trace for its own.
        return await room.execute(room.executionSlots > 0 ? work : AsyncResource.bind(work))
      } catch (error) {
        if (!isBulkheadRejectedError(error)) throw error
        options.rejected()
        throw unavailable(`too much waits for ${service}`)
      }
    },
  }
}
