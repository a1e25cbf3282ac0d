import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

export { Counter, Gauge, Histogram, Registry }

/** What every metric's name begins with (the interface's metric names). */
export const metricPrefix = 'oauth2_server_'

/** Upper bounds, in seconds, that suit both a cached answer and a slow statement. */
export const durationBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

/**
 * A process's registry, with Node's own figures and the build in it.
 * @param version the release
 */
export function createRegistry(version: string): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  new Gauge({
    name: `${metricPrefix}build_info`,
    help: 'Always 1; the labels name the release.',
    labelNames: ['version', 'node'],
    registers: [registry],
  }).set({ version, node: process.version }, 1)
  return registry
}

/** What a process that uses the database measures. */
export type DatabaseMetrics = {
  observe(operation: string, seconds: number): void
  observeWait(seconds: number): void
}

/** The figures of statements and of the pool that they run on. */
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

/** Hits and misses of a process's caches. */
export function cacheMetrics(registry: Registry) {
  const options = { labelNames: ['cache'] as const, registers: [registry] }
  return {
    hits: new Counter({
      name: `${metricPrefix}cache_hits_total`,
      help: 'Cache look-ups answered.',
      ...options,
    }),
    misses: new Counter({
      name: `${metricPrefix}cache_misses_total`,
      help: 'Cache look-ups that had to ask.',
      ...options,
    }),
  }
}
