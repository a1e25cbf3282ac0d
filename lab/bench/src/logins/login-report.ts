import { availableParallelism } from 'node:os'
import { median } from '../measuring/statistics.ts'
import { renderDisturbance, table } from '../report.ts'
import { parallelLogins } from './login-load.ts'
import { type LoginRound, summarizeLogins } from './login-rounds.ts'

/** The logins for people: how close they come to their bound, where the time goes, and how they affect other requests. */
export function renderLogins(rounds: readonly LoginRound[]): string {
  const { perSecond, bound, ratio, latency, without, beside } = summarizeLogins(rounds)
  const usages = rounds.map(({ logins }) => logins.usage)
  const names = usages[0]?.processes.map(({ name }) => name) ?? []
  const processes = names.map((name, index) => {
    const cores = median(usages.map(({ processes }) => processes[index]?.cores ?? Number.NaN))
    return { name: name === 'launcher' ? 'browsers and app' : name, cores }
  })
  const busy = processes.reduce((sum, { cores }) => sum + cores, 0)
  const times = (of: { p50: number; p99: number }) => [of.p50.toFixed(1), of.p99.toFixed(1)]
  const lines = [
    ...table([
      [`Logins, ${parallelLogins} at once`, 'a second', 'p50 ms', 'p99 ms'],
      ['argon2id alone (the bound)', bound.toFixed(1), '', ''],
      ['whole logins', perSecond.toFixed(1), ...times(latency)],
    ]),
    '',
    `  Whole logins reach ${Math.round(ratio * 100)} % of what the machine can hash.`,
    '',
    ...table([
      ['  of the logins', 'cores'],
      ...processes
        .filter(({ cores }) => cores >= 0.005)
        .map(({ name, cores }) => [`  ${name}`, cores.toFixed(2)]),
      [`  all, of ${availableParallelism()}`, busy.toFixed(2)],
    ]),
    '',
    ...table([
      ['What others feel of it', 'p50 ms', 'p99 ms'],
      ['tokens, nobody logs in', ...times(without.tokens)],
      ['tokens beside logins', ...times(beside.tokens)],
      ['pages of the identity service, nobody logs in', ...times(without.pages)],
      ['pages of the identity service beside logins', ...times(beside.pages)],
    ]),
    ...renderDisturbance(usages),
  ]
  return `${lines.join('\n')}\n\n`
}
