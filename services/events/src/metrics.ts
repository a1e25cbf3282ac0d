import { Counter, droppedEventsMetric, metricPrefix, type Registry } from '@gatehouse/kit/telemetry/metrics'

/** The outcomes of an event at a backend. */
const outcomes = ['delivered', 'failed', 'refused'] as const
export type Outcome = (typeof outcomes)[number]

/** The counters of the events service. */
export type EventMetrics = {
  published(backend: string, outcome: Outcome, count: number): void
  dropped(count: number): void
}

/**
 * Creates the events service's own metrics.
 * @param backends the names of the open backends
 */
export function eventMetrics(registry: Registry, backends: readonly string[]): EventMetrics {
  const published = new Counter({
    name: `${metricPrefix}events_published_total`,
    help: 'Events sent to a backend: delivered, failed and to be retried, or refused for good.',
    labelNames: ['backend', 'outcome'],
    registers: [registry],
  })
  // Each series exists from the first scrape: a rate over one that appears with its first event would miss that event.
  for (const backend of backends) for (const outcome of outcomes) published.inc({ backend, outcome }, 0)
  const dropped = droppedEventsMetric(registry)
  return {
    published: (backend, outcome, count) => published.inc({ backend, outcome }, count),
    dropped: (count) => dropped.inc(count),
  }
}
