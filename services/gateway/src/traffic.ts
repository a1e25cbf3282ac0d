import { Refusal } from '@gatehouse/kit/errors'
import type { Counter, Histogram, Registry } from '@gatehouse/kit/metrics'
import { durationBuckets, metricPrefix } from '@gatehouse/kit/metrics'
import type { TrafficSample } from '@gatehouse/proto/identity/v1'

/** What counting a gateway's traffic needs. */
export type TrafficDeps = {
  /** Where its requests are counted. */
  registry: Registry
  /** Names this gateway among all. */
  instance: string
  /** The token service's metrics, of all its replicas, in the text exposition format. */
  tokenMetrics(): Promise<string>
  /** Keeps a sample; one that it has already stays as it is. */
  record(sample: TrafficSample): Promise<unknown>
  /** Milliseconds since the Unix epoch. */
  now(): number
  /** Aborted when nobody waits any more for samples to be kept. */
  stopping: AbortSignal
}

/** Counts what a gateway does, for the administrators' dashboard. */
export type Traffic = {
  /** Told of each token that is issued. */
  issued(grantType: string): void
  /** Takes a sample of what was done since the last and has it kept, with those before that could not be. */
  sample(): Promise<void>
}

/** So many samples wait at the most until they can be kept, five minutes of them; then the oldest are forgotten. */
const mostWaiting = 30

/** What has been counted since the process started. */
type Totals = {
  requests: number
  failures: number
  refusals: number
  rateLimited: number
  durations: number[]
}

/** A count that begins now. Requests are not touched by it: it reads what is counted for the metrics anyway. */
export function countTraffic(deps: TrafficDeps): Traffic {
  const { registry, instance, tokenMetrics, record, now, stopping } = deps
  let last: Totals = {
    ...{ requests: 0, failures: 0, refusals: 0, rateLimited: 0 },
    durations: [...durationBuckets, 0].map(() => 0),
  }
  let lastTime = now()
  let issued = new Map<string, number>()
  const waiting: TrafficSample[] = []

  return {
    issued: (grantType) => void issued.set(grantType, (issued.get(grantType) ?? 0) + 1),

    async sample() {
      const [totals, activeTokens] = await Promise.all([
        readTotals(registry),
        tokenMetrics().then(activeTokensIn, () => undefined),
      ])
      const time = now()
      const since = (name: 'requests' | 'failures' | 'refusals' | 'rateLimited') =>
        BigInt(totals[name] - last[name])
      // Whoever sets the clock back must not make an interval of nothing or less.
      if (time > lastTime) {
        waiting.push({
          time: new Date(time),
          instance,
          seconds: (time - lastTime) / 1000,
          requests: since('requests'),
          failures: since('failures'),
          refusals: since('refusals'),
          rateLimited: since('rateLimited'),
          issued: Object.fromEntries([...issued].map(([grantType, count]) => [grantType, BigInt(count)])),
          durations: totals.durations.map((count, index) => BigInt(count - (last.durations[index] ?? 0))),
          activeTokens,
        })
        if (waiting.length > mostWaiting) waiting.shift()
        last = totals
        issued = new Map()
      }
      lastTime = time
      for (let next = waiting[0]; next && !stopping.aborted; next = waiting[0]) {
        await record(next).catch((error) => {
          // What is no sample, after a machine has slept for hours, would never be kept.
          if (!(error instanceof Refusal && error.code === 'invalid_request')) throw error
        })
        waiting.shift()
      }
    },
  }
}

async function readTotals(registry: Registry): Promise<Totals> {
  const totals: Totals = { requests: 0, failures: 0, refusals: 0, rateLimited: 0, durations: [] }
  const requests = registry.getSingleMetric(`${metricPrefix}http_requests_total`) as Counter | undefined
  for (const { value, labels } of (await requests?.get())?.values ?? []) {
    const status = Number(labels.status)
    totals.requests += value
    if (status >= 500) totals.failures += value
    else if (status === 429) totals.rateLimited += value
    else if (status >= 400) totals.refusals += value
  }
  const durations = registry.getSingleMetric(`${metricPrefix}http_request_duration_seconds`) as
    | Histogram
    | undefined
  const upTo = new Map<string, number>()
  for (const { value, labels } of (await durations?.get())?.values ?? []) {
    // The sum and the count have no such label.
    if (labels.le !== undefined) upTo.set(String(labels.le), (upTo.get(String(labels.le)) ?? 0) + value)
  }
  const cumulative = [...durationBuckets, '+Inf'].map((bound) => upTo.get(String(bound)) ?? 0)
  totals.durations = cumulative.map((count, index) => count - (cumulative[index - 1] ?? 0))
  return totals
}

/** How many tokens are active, as the one replica that counts them says; undefined where none does. */
function activeTokensIn(metrics: string): bigint | undefined {
  const pattern = new RegExp(`^${metricPrefix}oauth_active_tokens(?:\\{[^\\n]*\\})? (\\d+)$`, 'gm')
  const counts = [...metrics.matchAll(pattern)].map(([, count]) => Number(count))
  return counts.length === 0 ? undefined : BigInt(Math.max(...counts))
}
