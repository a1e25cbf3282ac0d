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
  /** The name of the called service, for the log. */
  service: string
  /** The circuit opens after this many failures in a row. */
  failures: number
  /** How long an open circuit refuses all calls, in milliseconds. */
  openMs: number
  /** How many calls must succeed before a half-open circuit closes. */
  probes: number
  /** A call that fails after this time, in milliseconds, has timed out. */
  timeoutMs: number
  opened?(): void
  closed?(): void
}

/** The state of a circuit in metrics: 0 closed, 1 half open, 2 open. */
export type ShownState = 0 | 1 | 2

/** Lets calls through until too many have failed. Its clock is Date.now. */
export type Circuit = {
  /** @throws Refusal temporarily_unavailable while no call is let through */
  admit(): void
  /**
   * Makes a call if the circuit lets it through, and notes whether it failed.
   * @throws the error of the call, or that of admit
   */
  run<Result>(call: () => Promise<Result>): Promise<Result>
  state(): ShownState
}

/** A failure that the breaker counts. */
class CountedFailure extends Error {}

/** Creates a closed circuit. */
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
    // The library would make the call wait for the probes, which may be as slow as the calls that opened the circuit.
    if (policy.state === CircuitState.HalfOpen && probing >= probes) throw unavailable(refused)
  }

  /** Whether a failure has the same cause as the last one: a crash fails all calls under way, but counts once. */
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
          // The service answered; the caller was at fault.
          if (!isServiceFailure(error)) return { error }
          if (closed && isEcho(ordinal, beganAt)) throw error
          begunAtLastFailure = begun
          throw new CountedFailure('', { cause: error })
        }
      })
      // If the circuit was open for long enough, this call has made it half open.
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
