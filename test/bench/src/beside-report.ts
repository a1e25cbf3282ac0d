import { renderDisturbance, table } from './report.ts'
import { leastRatio, sampledShare, summarizeTracing, type TracingResult } from './tracing.ts'

/** What tracing costs, for people. */
export function renderTracing({ rounds, recordedShare }: TracingResult): string {
  const { off, on, ratio, cpuPerRequest, p99 } = summarizeTracing(rounds)
  const rate = (perSecond: number) => Math.round(perSecond).toLocaleString('en-US')
  const verdict = ratio < leastRatio ? '  TOO LITTLE' : ''
  const lines = [
    ...table([
      ['Tokens', 'a second', 'p99 ms'],
      ['nothing is traced', rate(off), p99.off.toFixed(1)],
      [`${sampledShare * 100} % are recorded`, rate(on), p99.on.toFixed(1)],
    ]),
    '',
    `  With tracing issuing keeps ${(ratio * 100).toFixed(1)} % of its speed (at least ${leastRatio * 100} %), with ${cpuPerRequest.toFixed(2)} times the CPU each.${verdict}`,
    `  ${(recordedShare * 100).toFixed(1)} % of the requests reached the collector.`,
    ...renderDisturbance(rounds.flatMap((round) => [round.off.usage, round.on.usage])),
  ]
  return `${lines.join('\n')}\n\n`
}
