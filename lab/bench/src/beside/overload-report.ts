import { renderDisturbance, table } from '../report.ts'
import { leastInFlood, type OverloadRound, summarizeOverload } from './overload.ts'

/** The results of the floods, for people. */
export function renderOverload(rounds: readonly OverloadRound[]): string {
  const summary = summarizeOverload(rounds)
  const verdict = summary.ratio < leastInFlood ? '  TOO LITTLE' : ''
  const lines = [
    ...table([
      ['Tokens, with resilience on', 'a second'],
      ['as many callers as keep it busy', rate(summary.busy)],
      ['ten times as many', rate(summary.flood)],
    ]),
    '',
    `  In the flood issuing keeps ${percent(summary.ratio)} % of its speed (at least ${leastInFlood * 100} %).${verdict}`,
    `  ${percent(summary.refused)} % of the requests were refused, after ${summary.refusedMs} ms; the others took ${summary.issuedMs} ms (medians).`,
    ...renderDisturbance(rounds.flatMap(({ busy, flood }) => [busy.usage, flood.usage])),
  ]
  return `${lines.join('\n')}\n\n`
}

function rate(perSecond: number): string {
  return Math.round(perSecond).toLocaleString('en-US')
}

function percent(share: number): string {
  return (share * 100).toFixed(1)
}
