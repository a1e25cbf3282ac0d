import { Counter, droppedEventsMetric, metricPrefix, type Registry } from '@gatehouse/kit/metrics'

/** What can become of an event at a backend. */
const outcomes = ['delivered', 'failed', 'refused'] as const
export type Outcome = (typeof outcomes)[number]

/** What the events service counts. */
export type EventMetrics = {
  published(backend: string, outcome: Outcome, count: number): void
  dropped(count: number): void
}

/**
 * The events service's own metrics.
 * @param backends those that there are
 */
export function eventMetrics(registry: Registry, backends: readonly string[]): EventMetrics {
  const published = new Counter({
    name: `${metricPrefix}events_published_total`,
    help: 'Events handed to a backend: delivered, failed and tried again, or refused for good.',
    labelNames: ['backend', 'outcome'],
    registers: [registry],
  })
  // From the first scrape on: a rate over a series that appears with its first event would miss that one.
  for (const backend of backends) for (const outcome of outcomes) published.inc({ backend, outcome }, 0)
  const dropped = droppedEventsMetric(registry)
  return {
    published: (backend, outcome, count) => published.inc({ backend, outcome }, count),
    dropped: (count) => dropped.inc(count),
  }
}
