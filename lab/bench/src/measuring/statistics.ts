import type { Series } from '../rounds.ts'
import type { ProcessUsage } from './usage.ts'

/** The medians of all rounds, for each number separately. */
export type Summary = {
  perSecond: number
  /** The slowest and the fastest round. */
  range: [number, number]
  /** Milliseconds. */
  latency: { p50: number; p90: number; p99: number; max: number }
  /** CPU of all processes of the subject, in microseconds per request, without the load's. */
  cpuMicroseconds: number
  processes: (ProcessUsage & { cpuMicroseconds: number })[]
  machine: { idle: number; others: number; stolen: number }
  /** How many tokens shared one sync of PostgreSQL's log to the disk. */
  tokensPerLogSync?: number
}

/** The middle value, or the mean of the two in the middle; NaN if there are none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2
}

/** The value below which a share of the values is; NaN if there are none. */
export function shareOf(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN
}

/** Sums up the rounds of one subject in one phase. */
export function summarize({ rounds }: Pick<Series, 'rounds'>): Summary {
  const middle = (pick: (round: Series['rounds'][number]) => number) => median(rounds.map(pick))
  const rates = rounds.map((round) => round.perSecond)
  const names = rounds[0]?.usage.processes.map(({ name }) => name) ?? []
  const processes = names.map((name, index) => {
    const of = (round: Series['rounds'][number]) => round.usage.processes[index] as ProcessUsage
    const memory = median(rounds.map((round) => of(round).memory ?? Number.NaN))
    return {
      name,
      cores: middle((round) => of(round).cores),
      cpuMicroseconds: middle((round) => (of(round).cores / round.perSecond) * 1e6),
      memory: Number.isNaN(memory) ? undefined : memory,
    }
  })
  const serving = processes.filter(({ name }) => name !== 'wrk' && name !== 'launcher')
  const stored = rounds.flatMap((round) => round.stored ?? [])
  return {
    perSecond: median(rates),
    range: [Math.min(...rates), Math.max(...rates)],
    latency: {
      p50: middle((round) => round.latency.p50),
      p90: middle((round) => round.latency.p90),
      p99: middle((round) => round.latency.p99),
      max: middle((round) => round.latency.max),
    },
    cpuMicroseconds: serving.reduce((sum, { cpuMicroseconds }) => sum + cpuMicroseconds, 0),
    processes,
    machine: {
      idle: middle((round) => round.usage.idle),
      others: middle((round) => round.usage.others),
      stolen: middle((round) => round.usage.stolen),
    },
    ...(stored.length > 0 && {
      tokensPerLogSync: median(stored.map(({ rows, logSyncs }) => rows / logSyncs)),
    }),
  }
}

/** Gatehouse's throughput and CPU per request, as multiples of a rival's. */
export type Ratio = {
  phase: Series['phase']
  rival: Series['subject']
  throughput: number
  cpuPerRequest: number
}

/** Compares Gatehouse with each measured rival. */
export function ratios(series: readonly Series[]): Ratio[] {
  return series.flatMap((rival) => {
    const own = series.find(({ phase, subject }) => phase === rival.phase && subject === 'gatehouse')
    if (!own || rival === own) return []
    const [ours, theirs] = [summarize(own), summarize(rival)]
    return {
      phase: rival.phase,
      rival: rival.subject,
      throughput: ours.perSecond / theirs.perSecond,
      cpuPerRequest: ours.cpuMicroseconds / theirs.cpuMicroseconds,
    }
  })
}
