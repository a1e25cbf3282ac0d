import { Refusal } from '@gatehouse/kit/errors'

/** What was counted in an interval. */
export type TrafficSample = {
  /** The end of the interval. */
  at: Date
  /** How long it was, in seconds. */
  seconds: number
  requests: number
  /** Answers with a status from 500. */
  failures: number
  /** Answers with a status from 400 to 499, those over a limit not counted. */
  refusals: number
  rateLimited: number
  /** Tokens by the grant type that they were issued for. */
  issued: Readonly<Record<string, number>>
  /** Requests by the buckets of how long they took, not cumulative. */
  durations: readonly number[]
  /** undefined: unknown. */
  activeTokens: number | undefined
}

/** What one gateway counted. */
export type InstanceSample = TrafficSample & { instance: string }

/** Where samples are kept for some hours. */
export type TrafficStore = {
  /** Keeps a sample; one that is there already stays as it is. */
  add(sample: InstanceSample): Promise<void>
  /** Those that ended after a moment. */
  since(moment: Date): Promise<InstanceSample[]>
}

/** In seconds: what the samples of all gateways are summed into. */
const interval = 10

/** A gateway that says nothing for so long is gone, and nobody waits for its sample; in milliseconds. */
const goneAfter = 30_000

const most = { seconds: 3_600, instance: 200, grantTypes: 100, durations: 200 }

/**
 * Keeps what a gateway counted.
 * @throws Refusal invalid_request for what cannot be a sample
 */
export async function recordTraffic(sample: InstanceSample, store: Pick<TrafficStore, 'add'>): Promise<void> {
  const { seconds, instance, issued, durations } = sample
  const isSample =
    seconds > 0 &&
    seconds <= most.seconds &&
    instance !== '' &&
    instance.length <= most.instance &&
    Object.keys(issued).length <= most.grantTypes &&
    durations.length <= most.durations
  if (!isSample) throw new Refusal('invalid_request', 'This is no sample of traffic.')
  await store.add(sample)
}

/**
 * What all gateways counted together, in intervals of ten seconds that end after a moment, the oldest first. The newest
 * interval is the last that every gateway has told of, or a plot would dip at its end.
 */
export async function listTraffic(since: Date, store: Pick<TrafficStore, 'since'>): Promise<TrafficSample[]> {
  const samples = await store.since(new Date(startOfInterval(since.getTime())))
  return sumTraffic(samples).filter(({ at }) => at > since)
}

/**
 * The samples of all gateways as one a ten seconds. A sample that lies in two intervals is split between them by time, so
 * that it does not matter when a gateway happens to count.
 */
export function sumTraffic(samples: readonly InstanceSample[]): TrafficSample[] {
  const sums = new Map<number, Sum>()
  const complete = completeUntil(samples)
  for (const sample of samples.toSorted((one, other) => one.at.getTime() - other.at.getTime())) {
    const end = sample.at.getTime()
    const start = end - sample.seconds * 1_000
    for (let from = startOfInterval(start); from < end; from += interval * 1_000) {
      const to = from + interval * 1_000
      if (to > complete) break
      const share = (Math.min(end, to) - Math.max(start, from)) / (end - start)
      const sum = sums.get(to) ?? emptySum()
      add(sum, sample, share)
      sums.set(to, sum)
    }
  }
  return [...sums].sort(([one], [other]) => one - other).map(([end, sum]) => rounded(end, sum))
}

type Sum = Omit<TrafficSample, 'at' | 'seconds' | 'issued' | 'durations'> & {
  issued: Record<string, number>
  durations: number[]
}

function emptySum(): Sum {
  return {
    ...{ requests: 0, failures: 0, refusals: 0, rateLimited: 0 },
    ...{ issued: {}, durations: [], activeTokens: undefined },
  }
}

function add(sum: Sum, sample: TrafficSample, share: number): void {
  for (const name of ['requests', 'failures', 'refusals', 'rateLimited'] as const)
    sum[name] += sample[name] * share
  for (const [grantType, count] of Object.entries(sample.issued))
    sum.issued[grantType] = (sum.issued[grantType] ?? 0) + count * share
  for (const [index, count] of sample.durations.entries())
    sum.durations[index] = (sum.durations[index] ?? 0) + count * share
  // All gateways ask the same one for it: the last answer is the best.
  sum.activeTokens = sample.activeTokens ?? sum.activeTokens
}

function rounded(end: number, { issued, durations, activeTokens, ...counts }: Sum): TrafficSample {
  const { requests, failures, refusals, rateLimited } = counts
  return {
    at: new Date(end),
    seconds: interval,
    requests: Math.round(requests),
    failures: Math.round(failures),
    refusals: Math.round(refusals),
    rateLimited: Math.round(rateLimited),
    issued: Object.fromEntries(Object.entries(issued).map(([name, count]) => [name, Math.round(count)])),
    durations: durations.map(Math.round),
    activeTokens,
  }
}

/** Until when every gateway that is not gone has told what it counted, in milliseconds since the Unix epoch. */
function completeUntil(samples: readonly InstanceSample[]): number {
  const last = new Map<string, number>()
  for (const { instance, at } of samples) last.set(instance, Math.max(at.getTime(), last.get(instance) ?? 0))
  const newest = Math.max(...last.values())
  return Math.min(...[...last.values()].filter((end) => newest - end < goneAfter))
}

function startOfInterval(milliseconds: number): number {
  return Math.floor(milliseconds / (interval * 1_000)) * interval * 1_000
}
