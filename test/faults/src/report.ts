import { mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { MachineFacts } from '../../bench/src/machine.ts'
import { rootDirectory } from '../../bench/src/repository.ts'
import type { Check } from './checks.ts'
import { type Fault, harms, targets } from './faults.ts'
import type { Journal } from './journal.ts'
import { isExplained } from './logs.ts'
import { type Growth, median } from './memory.ts'
import { liveBound, mebibytes, perHour } from './memory-check.ts'

/** The results of a soak. */
export type Findings = {
  date: string
  machine: MachineFacts
  postgresql: string
  redis: string
  minutes: number
  seed: number
  accessTokenTtl: number
  journal: Journal
  faults: readonly Fault[]
  checks: readonly Check[]
  growths: readonly Growth[]
  requestsAnHour: number
  errors: ReadonlyMap<string, readonly number[]>
}

/** How many failures of a check are shown. */
const mostShown = 20

/** Whether all checks passed. */
export function passed(checks: readonly Check[]): boolean {
  return checks.every(({ failures }) => failures.length === 0)
}

/** Writes the report into a file. @returns the file, relative to the working directory */
export function writeReport(findings: Findings, out: string | undefined): string {
  const results = fileURLToPath(new URL('../results', import.meta.url))
  const file = resolve(out ?? join(results, `${findings.date.replaceAll(':', '')}.md`))
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, renderReport(findings))
  return relative('.', file)
}

/** The report, as Markdown. */
export function renderReport(findings: Findings): string {
  const { machine, journal, faults, checks, growths, errors } = findings
  const verdict = passed(checks) ? 'All checks hold.' : 'Something is wrong: see the checks.'
  return [
    `# Soak of ${findings.date.slice(0, 16).replace('T', ', ')} UTC`,
    '',
    `**${verdict}** ${findings.minutes} minutes, ${journal.requests()} requests, ${faults.length} faults, seed ${findings.seed}.`,
    '',
    `- Machine: ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGiB} GiB; load average before the start ${machine.loadAverage}.`,
    `- Node ${machine.node}, PostgreSQL ${findings.postgresql}, Redis ${findings.redis}; revision ${machine.revision}${machine.changed ? ', with changes' : ''}.`,
    `- Two gateways and two replicas of each service, all of which serve both gateways. An access token lives ${findings.accessTokenTtl} s.`,
    '- Replica b of each service is ended only in the first two fifths of the run, so that it shows what its memory does.',
    '',
    '## Checks',
    '',
    ...table([
      ['What must be so', 'looked at', 'wrong'],
      ...checks.map(({ name, checked, failures }) => [name, String(checked), String(failures.length)]),
    ]),
    ...failuresOf(checks),
    '',
    '## Requests by kind and status',
    '',
    'Status 0: the connection was cut.',
    '',
    ...table([['Kind', 'Answers'], ...countRows(journal)]),
    '',
    '## Faults',
    '',
    'Recovery is counted from the end of the harm until every gateway that it concerns gave a good answer; ready is when the',
    'process itself serves again.',
    '',
    ...table([
      ['Process', 'Harm', 'how often', 'recovery ms, median', 'max', 'ready ms, median', 'max'],
      ...faultRows(faults),
    ]),
    '',
    '## Memory',
    '',
    'Processes that lived long enough after their warm-up. Resident: as the system counts. Live: what the heap still held',
    'right after a full collection, which each process makes every 20 s; a heap that is merely not tidied, or still warming',
    'up, shows there as what it is. Slopes by Theil and Sen.',
    `The bound for what is live is ${perHour(liveBound(findings.requestsAnHour))}.`,
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
    ...(errors.size === 0
      ? ['None.']
      : table([
          ['Line', 'how often', 'explained by'],
          ...[...errors].map(([text, times]) => [
            text,
            String(times.length),
            isExplained(text, times, faults) ? 'a fault at that time' : 'nothing',
          ]),
        ])),
    '',
  ].join('\n')
}

function failuresOf(checks: readonly Check[]): string[] {
  return checks
    .filter(({ failures }) => failures.length > 0)
    .flatMap(({ name, failures }) => [
      '',
      `Wrong: ${name}`,
      '',
      ...failures.slice(0, mostShown).map((failure) => `- ${cell(failure)}`),
      ...(failures.length > mostShown ? [`- and ${failures.length - mostShown} more`] : []),
    ])
}

function countRows(journal: Journal): string[][] {
  return [...journal.counts]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([kind, counts]) => [
      kind,
      [...counts]
        .sort(([a], [b]) => a - b)
        .map(([status, count]) => `${status}: ${count}`)
        .join(', '),
    ])
}

function faultRows(faults: readonly Fault[]): string[][] {
  const figures = (values: (number | undefined)[]) => {
    const known = values.filter((value) => value !== undefined)
    const middle = median(known)
    return [
      middle === undefined ? 'none' : middle.toFixed(0),
      known.length < values.length ? 'never' : String(Math.max(...known)),
    ]
  }
  return targets.flatMap((target) =>
    harms.flatMap((harm) => {
      const found = faults.filter((fault) => fault.target === target && fault.harm === harm)
      if (found.length === 0) return []
      return [
        [
          target,
          harm,
          String(found.length),
          ...figures(found.map(({ recovery }) => recovery)),
          ...figures(found.map(({ ready }) => ready)),
        ],
      ]
    }),
  )
}

function table(rows: string[][]): string[] {
  const [head = [], ...rest] = rows.map((row) => `| ${row.map(cell).join(' | ')} |`)
  return [head as string, `|${(rows[0] ?? []).map(() => '---').join('|')}|`, ...rest]
}

function cell(text: string): string {
  // Stack traces contain this machine's directories, which do not belong in a report.
  const placeless = text.replaceAll(`${rootDirectory}/`, '').replaceAll(`${tmpdir()}/`, '')
  return placeless.replaceAll('|', '\\|').replace(/\s+/g, ' ')
}
