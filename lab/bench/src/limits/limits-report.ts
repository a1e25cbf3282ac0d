import { table } from '../report.ts'
import { type LimitsResult, type ListTimes, longestList, longestStep, moreThan } from './limits.ts'
import { ways } from './visits.ts'

const titles = {
  password: 'with a password',
  organization: 'and the choice of an organization',
  connection: 'by a connection of the organization',
}

/** The figures of a full system, in words for people. */
export function renderLimits({ lists, logins }: LimitsResult): string {
  const of = (who: ListTimes['of']) => lists.filter((list) => list.of === who).map(renderList)
  const head = (who: string) => [who, 'few: p50 ms', 'p50 ms', 'p95 ms', 'times']
  const lines = [
    ...table([head('An administrator, as many organizations as possible'), ...of('administrator')]),
    '',
    ...table([head('The owner of an organization'), ...of('owner')]),
    '',
    ...table([
      ['A login, one at a time', 'p50 ms', 'p95 ms', 'more ms'],
      ...ways.map((way) => {
        const more = moreThan(logins, way)
        const verdict = more > longestStep ? '  TOO SLOW' : ''
        return [
          titles[way],
          logins[way].p50.toFixed(1),
          logins[way].p95.toFixed(1),
          `${more.toFixed(1)}${verdict}`,
        ]
      }),
    ]),
  ]
  return `${lines.join('\n')}\n\n`
}

function renderList({ name, few, full }: ListTimes): string[] {
  const verdict = full.p95 > longestList ? '  TOO SLOW' : ''
  const ratio = (full.p50 / few.p50).toFixed(1)
  return [`  ${name}`, few.p50.toFixed(1), full.p50.toFixed(1), full.p95.toFixed(1), `${ratio}${verdict}`]
}
