import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ProcessContext } from '@gatehouse/kit/process/process'
import type { RpcClient, Service } from '@gatehouse/kit/rpc/rpc-client'
import type { Static, TObject } from '@gatehouse/proto/typebox'
import { type Admission, createAdmission, sampleMs, turnMs } from './admission.ts'
import type { BackPressure } from './back-pressure.ts'
import { type Circuit, createCircuit } from './circuit.ts'
import { createGuard, type Guard } from './guard.ts'
import { guardedClient, guardedItems } from './guarded-client.ts'
import { resilienceMetrics } from './metrics.ts'
import { createProviderGuard, type ProviderGuard, withProviderCalls } from './provider-calls.ts'
import { createRetryBudget } from './retry-budget.ts'
import type { resilienceVariables } from './variables.ts'

type ResilienceConfig = Static<TObject<typeof resilienceVariables>>

/** Protects the gateway, so that neither a failing service nor an overload stops the rest. */
export type Resilience = {
  /**
   * Puts a circuit breaker and a bulkhead before a service's client. Several clients of a service share them. Calls that wait for the
   * servers of providers have a bulkhead of their own, and no circuit counts them.
   */
  protect<S extends Service>(service: string, client: RpcClient<S>): RpcClient<S>
  /** Also protects the calls that requests share. The service's client must already be protected. */
  protectItems<Calls extends object>(service: string, calls: Calls, shared: readonly (keyof Calls)[]): Calls
  /** Whether the circuit of a service refuses all calls at the moment. */
  isCutOff(service: string): boolean
  backPressure: BackPressure
}

/** The resolution at which the event loop's delay is measured, in milliseconds. */
const resolution = 10

/**
 * Opens the resilience of a process. It closes with the process.
 * @param callTimeoutMs how long a call including its retry may take, in milliseconds
 */
export function openResilience(context: ProcessContext<ResilienceConfig>, callTimeoutMs: number): Resilience {
  const { config, log } = context
  const metrics = resilienceMetrics(context.registry)
  const guards = new Map<string, { own: Guard; providers: ProviderGuard }>()
  const circuits = new Map<string, Circuit>()

  function guardsOf(service: string): { own: Guard; providers: ProviderGuard } {
    const { tripped, rejected, retried } = metrics.countsOf(service)
    const timeoutMs = config.OAUTH2_RESILIENCE_CALL_TIMEOUT_MS
    const circuit = createCircuit({
      service,
      failures: config.OAUTH2_RESILIENCE_BREAKER_FAILURES,
      openMs: config.OAUTH2_RESILIENCE_BREAKER_OPEN_MS,
      probes: config.OAUTH2_RESILIENCE_BREAKER_PROBES,
      timeoutMs,
      opened() {
        tripped()
        log.warn({ circuit: service }, 'a circuit opened: the service failed too often')
      },
      closed: () => log.info({ circuit: service }, 'a circuit closed: the service answers again'),
    })
    metrics.showCircuit(service, circuit)
    circuits.set(service, circuit)
    const room = {
      service,
      calls: config.OAUTH2_RESILIENCE_BULKHEAD_CALLS,
      waiting: config.OAUTH2_RESILIENCE_BULKHEAD_WAITING,
      now: Date.now,
      random: Math.random,
      pause: sleep,
    }
    const budget = createRetryBudget(config.OAUTH2_RESILIENCE_RETRY_PERCENT, Date.now)
    return {
      own: createGuard({ ...room, circuit, budget, timeoutMs, rejected, retried }),
      providers: createProviderGuard(circuit, { ...room, rejected: metrics.rejectedForProviders }),
    }
  }

  const admission = (maxUnderWayMs: number) =>
    createAdmission({
      most: config.OAUTH2_RESILIENCE_MAX_REQUESTS,
      mostWaiting: config.OAUTH2_RESILIENCE_MAX_WAITING,
      waitMs: config.OAUTH2_RESILIENCE_MAX_WAIT_MS,
      maxDelayMs: config.OAUTH2_RESILIENCE_MAX_EVENT_LOOP_DELAY_MS,
      maxUnderWayMs,
      now: () => performance.now(),
    })
  const admissions = {
    tokens: admission(config.OAUTH2_RESILIENCE_MAX_UNDER_WAY_MS),
    // These requests call different services: one slow service must not lower the limit for all.
    others: admission(Number.POSITIVE_INFINITY),
  }
  runAdmissions(context, Object.values(admissions))
  for (const [requests, one] of Object.entries(admissions)) metrics.showAdmission(requests, one)

  return {
    protect(service, client) {
      const { own, providers } = guards.get(service) ?? guardsOf(service)
      guards.set(service, { own, providers })
      return withProviderCalls(guardedClient(client, own, callTimeoutMs), client, providers)
    },
    protectItems(service, calls, shared) {
      const guard = guards.get(service)
      if (guard === undefined) throw new Error(`the service ${service} has no guard yet`)
      return guardedItems(calls, shared, guard.own)
    },
    isCutOff: (service) => circuits.get(service)?.state() === 2,
    backPressure: { ...admissions, rejected: metrics.refused },
  }
}

function runAdmissions({ onShutdown }: ProcessContext<unknown>, admissions: Admission[]): void {
  const delays = monitorEventLoopDelay({ resolution })
  delays.enable()
  const sampling = setInterval(() => {
    // Every delay includes the timer's own interval. Without a delay the loop was not late, or not measured yet.
    const delay = delays.count > 0 ? Math.max(0, delays.mean / 1e6 - resolution) : 0
    for (const admission of admissions) admission.sample(delay)
    delays.reset()
  }, sampleMs).unref()
  const turning = setInterval(() => {
    for (const admission of admissions) admission.turn()
  }, turnMs).unref()
  onShutdown(() => {
    clearInterval(sampling)
    clearInterval(turning)
    delays.disable()
  })
}
