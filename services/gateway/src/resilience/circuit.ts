import {
  type CircuitBreakerPolicy,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  handleType,
} from 'cockatiel'
import { isServiceFailure, unavailable } from './failures.ts'

/** When a circuit opens and closes. */
export type CircuitOptions = {
  /** The service that it leads to, for the log. */
  service: string
  /** How many calls fail in a row before it opens. */
  failures: number
  /** How long it refuses everything then, in milliseconds. */
  openMs: number
  /** How many calls must succeed before it closes again. */
  probes: number
  /** A call that fails after so long, in milliseconds, has timed out. */
  timeoutMs: number
  opened?(): void
  closed?(): void
}

/** What a circuit shows of itself: 0 closed, 1 half open, 2 open. */
export type ShownState = 0 | 1 | 2

/** Lets calls through until too many have failed. Its clock is Date.now. */
export type Circuit = {
  /** @throws Refusal temporarily_unavailable while no call is let through */
  admit(): void
  /**
   * Makes a call, when one is let through, and notes how it ends.
   * @throws what the call throws, or what admit throws
   */
  run<Result>(call: () => Promise<Result>): Promise<Result>
  state(): ShownState
}

/** The failure of a call as the breaker counts it. */
class CountedFailure extends Error {}

/** A circuit that is closed. */
export function createCircuit(options: CircuitOptions): Circuit {
  const { failures, openMs, probes, timeoutMs } = options
  const policy: CircuitBreakerPolicy = circuitBreaker(handleType(CountedFailure), {
    breaker: new ConsecutiveBreaker(failures),
    halfOpenAfter: openMs,
    halfOpenSampling: { calls: probes, threshold: 0 },
  })
  const refused = `the circuit of ${options.service} is open`
  let openUntil = 0
  let probing = 0
  let begun = 0
  let begunAtLastFailure = 0

  policy.onBreak(() => {
    openUntil = Date.now() + openMs
    options.opened?.()
  })
  policy.onHalfOpen(() => {
    probing = 0
  })
  policy.onReset(() => options.closed?.())

  function admit(): void {
    const left = openUntil - Date.now()
    if (policy.state === CircuitState.Open && left > 0) throw unavailable(refused, Math.ceil(left / 1000))
    // The library would let it wait for the probes, which may be as slow as what opened the circuit.
    if (policy.state === CircuitState.HalfOpen && probing >= probes) throw unavailable(refused)
  }

  /** Whether a failure says nothing that is not known: a crash ends all calls that are under way, and counts once. */
  function isEcho(ordinal: number, beganAt: number): boolean {
    return ordinal <= begunAtLastFailure && Date.now() - beganAt < timeoutMs
  }

  return {
    admit,
    async run(call) {
      admit()
      const closed = policy.state === CircuitState.Closed
      begun += 1
      const ordinal = begun
      const beganAt = Date.now()
      const executing = policy.execute(async () => {
        try {
          return { value: await call() }
        } catch (error) {
          // It answered.
          if (!isServiceFailure(error)) return { error }
          if (closed && isEcho(ordinal, beganAt)) throw error
          begunAtLastFailure = begun
          throw new CountedFailure('', { cause: error })
        }
      })
      // A call that finds the circuit open for long enough has made it half open by now.
      if (policy.state === CircuitState.HalfOpen) probing += 1
      try {
        const outcome = await executing
        if ('error' in outcome) throw outcome.error
        return outcome.value
      } catch (error) {
        throw error instanceof CountedFailure ? error.cause : error
      }
    },
    state() {
      if (policy.state === CircuitState.Closed) return 0
      return policy.state === CircuitState.HalfOpen || Date.now() >= openUntil ? 1 : 2
    },
  }
}
