import { Counter, Gauge, metricPrefix, type Registry } from '@gatehouse/kit/telemetry/metrics'
import type { Admission } from './admission.ts'
import type { Circuit } from './circuit.ts'

/** The counters of a service's circuit, bulkhead and retries. */
export type ServiceCounts = { tripped(): void; rejected(): void; retried(): void }

/** The metrics of resilience. */
export type ResilienceMetrics = {
  /** Every series starts at 0: a rate over a series that appears with its first count would miss that count. */
  countsOf(service: string): ServiceCounts
  /** Counts a call that found no room among those that wait for the servers of providers. */
  rejectedForProviders(): void
  showCircuit(service: string, circuit: Circuit): void
  showAdmission(requests: string, admission: Admission): void
  /** Counts a request that back-pressure refused. */
  refused(): void
}

/** @param registry where the metrics go */
export function resilienceMetrics(registry: Registry): ResilienceMetrics {
  const registers = [registry]
  const circuits = new Map<string, Circuit>()
  const admissions = new Map<string, Admission>()

  new Gauge({
    name: `${metricPrefix}circuit_breaker_state`,
    help: 'The state of a service’s circuit: 0 closed, 1 half open, 2 open.',
    labelNames: ['circuit'],
    registers,
    collect() {
      for (const [circuit, { state }] of circuits) this.set({ circuit }, state())
    },
  })
  const trips = new Counter({
    name: `${metricPrefix}circuit_breaker_trips_total`,
    help: 'How often a circuit opened, including after a failed probe.',
    labelNames: ['circuit'],
    registers,
  })
  const rejected = new Counter({
    name: `${metricPrefix}bulkhead_rejected_total`,
    help: 'Calls refused because too many waited for the service, or for providers.',
    labelNames: ['bulkhead'],
    registers,
  })
  const forProviders = rejected.labels('providers')
  forProviders.inc(0)
  const retries = new Counter({
    name: `${metricPrefix}rpc_retries_total`,
    help: 'Calls that were repeated because they had failed.',
    labelNames: ['actor'],
    registers,
  })
  const refused = new Counter({
    name: `${metricPrefix}back_pressure_rejected_total`,
    help: 'Requests refused because the gateway had too much to do.',
    registers,
  })
  const ofAdmissions = (name: string, help: string, figure: keyof ReturnType<Admission['state']>) =>
    new Gauge({
      name: `${metricPrefix}back_pressure_${name}`,
      help,
      labelNames: ['requests'],
      registers,
      collect() {
        for (const [requests, { state }] of admissions) this.set({ requests }, state()[figure])
      },
    })
  ofAdmissions('limit', 'How many requests may be under way at present.', 'limit')
  ofAdmissions('under_way', 'How many requests are under way.', 'underWay')
  ofAdmissions('waiting', 'How many requests wait for others to finish.', 'waiting')

  return {
    countsOf(service) {
      const counters = [trips.labels(service), rejected.labels(service), retries.labels(service)] as const
      for (const counter of counters) counter.inc(0)
      const [trip, reject, retry] = counters
      return { tripped: () => trip.inc(), rejected: () => reject.inc(), retried: () => retry.inc() }
    },
    rejectedForProviders: () => forProviders.inc(),
    showCircuit: (service, circuit) => void circuits.set(service, circuit),
    showAdmission: (requests, admission) => void admissions.set(requests, admission),
    refused: () => refused.inc(),
  }
}
