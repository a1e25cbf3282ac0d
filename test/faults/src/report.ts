import { mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { rootDirectory } from '../../bench/src/repository.ts'
import type { Check } from './checks.ts'
import { type Fault, kindsOfFaults } from './faults.ts'
import type { Journal } from './journal.ts'
import { isExplained } from './logs.ts'
import { median } from './memory.ts'
import { liveBound, mebibytes, perHour } from './memory-check.ts'
import type { Planted } from './planting.ts'
import type { Results } from './proof.ts'

/** How many failures of a check are shown. */
const mostShown = 20

/** Whether all checks passed. */
export function passed(checks: readonly Check[]): boolean {
  return checks.every(({ failures }) => failures.length === 0)
}

/** Writes the report into a file. @returns the file, relative to the working directory */
export function writeReport(results: Results, planted: readonly Planted[], out: string | undefined): string {
  const file = resolve(out ?? join(rootDirectory, 'docs', 'proof.md'))
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, renderReport(results, planted))
  return relative('.', file)
}

/** The report, as Markdown. */
export function renderReport(findings: Results, planted: readonly Planted[]): string {
  const { machine, journal, faults, checks, growths, errors } = findings
  const verdict = passed(checks) ? 'All checks hold.' : 'Something is wrong: see the checks.'
  return [
    '# What clients heard while the system was harmed',
    '',
    '`npm run proof` starts a real system, lets clients use it while its processes are killed, stopped, suspended and cut off, writes down what each of',
    'them asked and heard, and looks for what may not be in that history: a code with two winners, a token that is active after its',
    'revocation was answered, an answered token that is gone. The rules know nothing of the code that they judge. An answer that never came may',
    'mean that it was done or not. This page is the result of the last run.',
    '',
    `**${verdict}** ${findings.date.slice(0, 16).replace('T', ' ')} UTC, ${findings.minutes} minutes, ${journal.requests()} requests, ${faults.length} faults, seed ${findings.seed}.`,
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
    '## The history',
    '',
    ...table([
      ['Kind', 'how many'],
      ...Object.entries(findings.sizes).map(([kind, count]) => [kind, String(count)]),
    ]),
    '',
    ...plantedSection(planted),
    '## What is not covered',
    '',
    'Clocks are not moved: all processes share that of the machine, and what must not depend on it reads the database’s. All faults are on one machine.',
    'The broker is Redis; the others have their own tests of lost connections. Mails and logout tokens are not in this history.',
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

/** The planted faults, and whether they were found. */
function plantedSection(planted: readonly Planted[]): string[] {
  if (planted.length === 0) return []
  const [{ date, revision } = { date: '', revision: '' }] = planted
  return [
    '## Planted faults',
    '',
    'Faults that were put into the system, to see whether the rules find them: `npm run proof -- --plants`, each in 45 seconds of load.',
    `Planted ${date.slice(0, 16).replace('T', ' ')} UTC, revision ${revision}.`,
    '',
    ...table([
      ['What was wrong', 'the rule that must find it', 'found', 'after', 'how often'],
      ...planted.map(({ what, rule, found, seconds, times }) => [
        what,
        rule,
        found ? 'yes' : '**no**',
        seconds === undefined ? '' : `${seconds} s`,
        String(times),
      ]),
    ]),
    '',
  ]
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
  return kindsOfFaults.flatMap(({ target, harm }) => {
    const found = faults.filter((fault) => fault.target === target && fault.harm === harm)
    if (found.length === 0) return []
    const times = [found.map(({ recovery }) => recovery), found.map(({ ready }) => ready)].flatMap(figures)
    return [[target, harm, String(found.length), ...times]]
  })
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
