import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import type { MachineFacts } from '../../../bench/src/measuring/machine.ts'
import type { Availability } from '../checker/availability.ts'
import type { Check } from '../checker/check.ts'
import type { Fault } from '../history/fault.ts'
import type { RunResult } from '../run.ts'
import { hasClocks, longestJump } from '../world/clocks.ts'
import { kinds } from '../world/faults.ts'
import { isExplained } from '../world/logs.ts'
import { type Growth, median } from '../world/memory.ts'
import { liveBound, mebibytes, perHour } from '../world/memory-check.ts'
import { plantedPartOf } from './planted-table.ts'
import { cell, table } from './table.ts'
import { passed } from './verdict.ts'

/** The content of the page. */
export type Findings = RunResult & {
  date: Date
  machine: MachineFacts
  postgresql: string
  redis: string
  minutes: number
  seed: number
  accessTokenTtl: number
  availability: readonly Availability[]
  growths: readonly Growth[]
  requestsAnHour: number
}

/** How many failures of a check are shown. */
const mostShown = 20

/** Writes the page. Its part about planted defects stays. @returns the file, relative to the working directory */
export function writePage(file: string, findings: Findings): string {
  const path = resolve(file)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, renderPage(findings, plantedPartOf(path)))
  return relative('.', path)
}

/** The page, as Markdown. @param planted the part about planted defects */
export function renderPage(findings: Findings, planted: string): string {
  const { machine, faults, checks, growths, minutes, seed, operations } = findings
  const anHour = Math.round((faults.length / findings.loadMs) * 3_600_000)
  const found = checks.reduce((sum, { failures }) => sum + failures.length, 0)
  const verdict = passed(checks) ? 'Nothing was found.' : `${found} findings: see below.`
  return [
    '# Proof under faults',
    '',
    'Written by `npm run proof`, which [lab/proof](../lab/proof/README.md) describes: clients record what they asked and heard, while',
    'processes, databases, connections and clocks fail. Afterwards a checker that knows nothing of the code compares the history with',
    'what Gatehouse promises.',
    '',
    `**${verdict}** ${findings.date.toISOString().slice(0, 16).replace('T', ', ')} UTC, ${minutes} minutes, ${operations} operations, ${faults.length} faults (${anHour} an hour), seed ${seed}.`,
    '',
    `- Machine: ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGiB} GiB; load average before the start ${machine.loadAverage}.`,
    `- Node ${machine.node}, PostgreSQL ${findings.postgresql}, Redis ${findings.redis}; revision ${machine.revision}${machine.changed ? ', with changes' : ''}.`,
    `- Two gateways and two replicas of each service, all of which serve both gateways. Access tokens are signed with ES256 and live ${findings.accessTokenTtl} s.`,
    `- Clocks: ${hasClocks ? `libfaketime lets the wall clock of one process jump by at most ${longestJump / 1_000} s` : 'no clock jumped, because libfaketime could not be installed'}.`,
    '- Replica b of each service is ended only in the first two fifths of the run, so that its memory can be measured.',
    '',
    '## Checks',
    '',
    ...table([
      ['What must be so', 'Checked', 'Wrong'],
      ...checks.map(({ name, checked, failures }) => [name, String(checked), String(failures.length)]),
    ]),
    ...failuresOf(checks),
    '',
    '## Planted defects',
    '',
    'A checker that finds nothing must be shown to find something. These defects are planted from outside, one in each run.',
    '',
    planted,
    '',
    '## Operations, and how available they were',
    '',
    'Refused: an answer such as `invalid_grant`, which mostly had to be. Unknown: no answer, or 503; the operation may have had its',
    'effect. The longest gap is the time from an unknown answer to the next one that is not.',
    '',
    ...table([
      ['Operation', 'Asked', 'Done', 'Refused', 'Unknown', 'Longest gap, s'],
      ...findings.availability.map((one) => [
        one.name,
        ...[one.asked, one.ok, one.refused, one.unknown].map(String),
        (one.longestGap / 1_000).toFixed(1),
      ]),
    ]),
    '',
    '## Faults',
    '',
    'Recovered: from the end of the fault until every gateway that it concerns gave a good answer. Ready: until the process itself',
    'serves again. Other faults happen at the same time. Seconds.',
    '',
    ...table([
      ['What', 'Fault', 'How often', 'Recovered, median', 'longest', 'Ready, median', 'longest'],
      ...faultRows(faults),
    ]),
    '',
    '## Memory',
    '',
    'Processes that lived long enough after their warm-up. Live is what the heap held after a full garbage collection, which each',
    `process makes every 20 s. Slopes are Theil–Sen estimates. The bound for the live heap is ${perHour(liveBound(findings.requestsAnHour))}.`,
    '',
    ...table([
      [
        'Process',
        'minutes',
        'resident MiB, start',
        'end',
        'slope',
        'later half',
        'live MiB, start',
        'end',
        'slope',
      ],
      ...growths.map(({ name, seconds, resident, live }) => [
        name,
        (seconds / 60).toFixed(1),
        mebibytes(resident.start),
        mebibytes(resident.end),
        perHour(resident.slope),
        perHour(resident.laterSlope),
        ...(live ? [mebibytes(live.start), mebibytes(live.end), perHour(live.slope)] : ['', '', '']),
      ]),
    ]),
    '',
    '## Errors in logs',
    '',
    ...errorRows(findings),
    '',
    ...notCovered,
    '',
  ].join('\n')
}

const notCovered = [
  '## What is not covered',
  '',
  '- A machine that loses power, a disk that lies or is full, a network that reorders or forges: processes and connections of one machine fail.',
  '- PostgreSQL with a standby: a fail-over to one that lacks the last commits loses them ([operations.md](../operate/operations.md)).',
  '- The clocks of PostgreSQL, Redis and NATS do not jump, and the monotonic clock of no process does.',
  '- Redis, RabbitMQ and Kafka as brokers, webhooks, social logins, second factors, and the password grant.',
  '- Gatehouse’s own events, which may be lost with a process ([events.md](../events/events.md)), and immediate rotations, which end tokens on purpose.',
  '- A logout token or a mail that never comes is not looked for while it may still be tried again.',
  '- The same seed draws the same faults, but not the same history: the operating system decides who is first.',
]

function failuresOf(checks: readonly Check[]): string[] {
  return checks
    .filter(({ failures }) => failures.length > 0)
    .flatMap(({ name, failures }) => [
      '',
      `Wrong: ${name}`,
      '',
      ...failures.slice(0, mostShown).map(({ text }) => `- ${cell(text)}`),
      ...(failures.length > mostShown ? [`- and ${failures.length - mostShown} more`] : []),
    ])
}

function faultRows(faults: readonly Fault[]): string[][] {
  const figures = (times: (number | undefined)[]) => {
    const known = times.filter((value) => value !== undefined)
    const middle = median(known)
    return [
      middle === undefined ? 'never' : (middle / 1_000).toFixed(1),
      known.length < times.length ? 'never' : (Math.max(...known) / 1_000).toFixed(1),
    ]
  }
  return kinds.flatMap(({ target, harm }) => {
    const found = faults.filter((fault) => fault.target === target && fault.harm === harm)
    if (found.length === 0) return []
    const after = (when: 'recovered' | 'ready') =>
      found.map((fault) => (fault[when] === undefined ? undefined : fault[when] - fault.over))
    return [[target, harm, String(found.length), ...figures(after('recovered')), ...figures(after('ready'))]]
  })
}

function errorRows({ errors, faults }: Findings): string[] {
  if (errors.size === 0) return ['None.']
  return table([
    ['Line', 'How often', 'Explained by'],
    ...[...errors].map(([text, times]) => [
      text,
      String(times.length),
      isExplained(text, times, faults) ? 'a fault at that time' : 'nothing',
    ]),
  ])
}
