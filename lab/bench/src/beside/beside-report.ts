import type { AlgorithmResult } from '../algorithms.ts'
import { type EventsResult, leastIngested, leastWithEvents } from '../events.ts'
import { median } from '../measuring/statistics.ts'
import { renderDisturbance, table } from '../report.ts'
import { leastWithTracing, sampledShare, type TracingResult } from '../tracing.ts'
import { type BesideRound, summarizeBeside } from './beside.ts'
import type { CheckoutResult } from './checkout.ts'

/** The cost of tracing, for people. */
export function renderTracing({ rounds, recordedShare }: TracingResult): string {
  return render([
    ...besideLines(rounds, {
      off: 'nothing is traced',
      on: `${sampledShare * 100} % are recorded`,
      name: 'tracing',
      least: leastWithTracing,
    }),
    `  ${(recordedShare * 100).toFixed(1)} % of the requests reached the collector.`,
    ...renderDisturbance(rounds.flatMap((round) => [round.off.usage, round.on.usage])),
  ])
}

/** The cost of events, and how many from outside are accepted, for people. */
export function renderEvents({ rounds, ingest }: EventsResult): string {
  const perSecond = ingestedPerSecond(ingest)
  const p99 = median(ingest.map(({ latency }) => latency.p99))
  const verdict = perSecond < leastIngested ? '  TOO FEW' : ''
  return render([
    ...besideLines(rounds, {
      off: 'no events',
      on: 'two events for each',
      name: 'events',
      least: leastWithEvents,
    }),
    `  ${rate(perSecond)} events from outside a second are taken (at least ${rate(leastIngested)}), p99 ${p99.toFixed(1)} ms, each durable before it is answered.${verdict}`,
    ...renderDisturbance([
      ...rounds.flatMap((round) => [round.off.usage, round.on.usage]),
      ...ingest.map(({ usage }) => usage),
    ]),
  ])
}

/** The cost of signing with an algorithm, in words for people. */
export function renderAlgorithm({ algorithm, rounds }: AlgorithmResult): string {
  return render([
    ...besideLines(rounds, { off: 'HS256', on: algorithm, name: algorithm }),
    ...renderDisturbance(rounds.flatMap((round) => [round.off.usage, round.on.usage])),
  ])
}

/** This checkout and another one, in words for people. */
export function renderCheckout({ phase, rounds }: CheckoutResult): string {
  return render([
    ...besideLines(rounds, {
      ...{ off: 'the other checkout', on: 'this one', name: 'this checkout' },
      what: phase === 'issue' ? 'Tokens' : 'Introspections',
    }),
    ...renderDisturbance(rounds.flatMap((round) => [round.off.usage, round.on.usage])),
  ])
}

/** How many events were accepted in a second: the median of all rounds. */
export function ingestedPerSecond(ingest: EventsResult['ingest']): number {
  return median(ingest.map(({ perSecond }) => perSecond))
}

function besideLines(
  rounds: readonly BesideRound[],
  {
    off,
    on,
    name,
    least,
    what = 'Tokens',
  }: { off: string; on: string; name: string; least?: number; what?: string },
): string[] {
  const summary = summarizeBeside(rounds)
  const verdict = least !== undefined && summary.ratio < least ? '  TOO LITTLE' : ''
  const bound = least === undefined ? '' : ` (at least ${least * 100} %)`
  return [
    ...table([
      [what, 'a second', 'p99 ms'],
      [off, rate(summary.off), summary.p99.off.toFixed(1)],
      [on, rate(summary.on), summary.p99.on.toFixed(1)],
    ]),
    '',
    `  With ${name} ${what === 'Tokens' ? 'issuing' : 'introspecting'} keeps ${(summary.ratio * 100).toFixed(1)} % of its speed${bound}, with ${summary.cpuPerRequest.toFixed(2)} times the CPU each.${verdict}`,
  ]
}

function rate(perSecond: number): string {
  return Math.round(perSecond).toLocaleString('en-US')
}

function render(lines: string[]): string {
  return `${lines.join('\n')}\n\n`
}
