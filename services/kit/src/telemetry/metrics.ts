import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

export { Counter, Gauge, Histogram, Registry }

/** The prefix of every metric's name. */
export const metricPrefix = 'oauth2_server_'

/** Upper bounds, in seconds, that suit both a cached answer and a slow statement. */
export const durationBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

/** Gauges that prom-client gives a counter's name; the same figures by type stay. */
const misnamed = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
]

/**
 * How often the event loop's lag is measured, in milliseconds. Node's own 10 wake an idle process a hundred times a second,
 * which is most of what it costs. Every measured lag includes this interval.
 */
const lagEveryMs = 50

/**
 * Creates a process's registry, with Node's own metrics and the build information.
 * @param version the release
 */
export function createRegistry(version: string): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: lagEveryMs })
  for (const name of misnamed) registry.removeSingleMetric(name)
  new Gauge({
    name: `${metricPrefix}build_info`,
    help: 'Always 1; the labels name the release.',
    labelNames: ['version', 'node'],
    registers: [registry],
  }).set({ version, node: process.version }, 1)
  return registry
}

/** The measurements of a process that uses the database. */
export type DatabaseMetrics = {
  observe(operation: string, seconds: number): void
  observeWait(seconds: number): void
}

/** Creates the metrics of the statements and of the pool that they run on. */
export function databaseMetrics(registry: Registry): DatabaseMetrics {
  const duration = new Histogram({
    name: `${metricPrefix}db_query_duration_seconds`,
    help: 'How long a database statement took.',
    labelNames: ['operation'],
    buckets: durationBuckets,
    registers: [registry],
  })
  const wait = new Histogram({
    name: `${metricPrefix}db_pool_wait_seconds`,
    help: 'How long a statement waited for a free database connection.',
    buckets: durationBuckets,
    registers: [registry],
  })
  return {
    observe: (operation, seconds) => duration.observe({ operation }, seconds),
    observeWait: (seconds) => wait.observe(seconds),
  }
}

/**
 * Creates the metric of how far the clock of the database is ahead of the process's.
 * @returns a function to call with the seconds, negative where it is behind
 */
export function clockSkewMetric(registry: Registry): (seconds: number) => void {
  const skew = new Gauge({
    name: `${metricPrefix}db_clock_skew_seconds`,
    help: 'By how many seconds the clock of the database is ahead of the one of this process.',
    registers: [registry],
  })
  return (seconds) => skew.set(seconds)
}

/** The metrics of a clean-up. */
export type CleanUpMetrics = {
  /** To be called after each successful clean-up. */
  cleanedUp(): void
  /** To be called with the number of rows that a part of it deleted. */
  deleted(part: string, count: number): void
}

/** Creates the metrics of when a process last deleted expired rows, and of how many. */
export function cleanUpMetrics(registry: Registry): CleanUpMetrics {
  const cleanedUp = new Gauge({
    name: `${metricPrefix}cleaned_up_timestamp_seconds`,
    help: 'When this process last deleted expired rows, or when it started: seconds since the Unix epoch.',
    registers: [registry],
  })
  const deleted = new Counter({
    name: `${metricPrefix}expired_rows_deleted_total`,
    help: 'Expired rows that this process deleted; of logins and failed client authentications, the days.',
    labelNames: ['part'],
    registers: [registry],
  })
  // Set from the start, so that a clean-up that never succeeds shows as late too.
  cleanedUp.setToCurrentTime()
  return {
    cleanedUp: () => cleanedUp.setToCurrentTime(),
    deleted: (part, count) => deleted.inc({ part }, count),
  }
}

/**
 * Counts the events that a process lost: too many waited, or one could not be written or read.
 * @returns the counter, at 0
 */
export function droppedEventsMetric(registry: Registry): Counter {
  return new Counter({
    name: `${metricPrefix}events_dropped_total`,
    help: 'Events that were lost: too many waited, or one could not be written or read.',
    registers: [registry],
  })
}

/** Counts hits and misses of a process's caches, by their names. */
export function cacheMetrics(registry: Registry, caches: readonly string[]) {
  const options = { labelNames: ['cache'] as const, registers: [registry] }
  const hits = new Counter({
    name: `${metricPrefix}cache_hits_total`,
    help: 'Look-ups that the cache answered.',
    ...options,
  })
  const misses = new Counter({
    name: `${metricPrefix}cache_misses_total`,
    help: 'Look-ups that the cache could not answer.',
    ...options,
  })
  // Present from the first scrape: a rate over a series that appears with its first look-up would miss that one.
  for (const cache of caches) for (const counter of [hits, misses]) counter.inc({ cache }, 0)
  return { hits, misses }
}
