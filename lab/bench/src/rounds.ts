import type { Options, Phase } from './options.ts'
import { type Measurement, measure, type RunDeps } from './run.ts'
import { fillPools, type Subject, writeForms } from './subjects.ts'

/** All rounds of one subject in one phase. */
export type Series = { phase: Phase; subject: Subject['name']; rounds: Measurement[] }

/**
 * Measures all subjects in turn, in another order each round, so that changes on the machine affect all of them.
 * @param tell called with a line for people after each run
 */
export async function runRounds(
  deps: RunDeps & {
    options: Pick<Options, 'rounds' | 'phases'>
    subjects: readonly Subject[]
    directory: string
    tell: (line: string) => void
  },
): Promise<Series[]> {
  const { options, subjects, directory, tell } = deps
  const series = options.phases.flatMap((phase) =>
    subjects.map((subject): Series => ({ phase, subject: subject.name, rounds: [] })),
  )
  for (let round = 0; round < options.rounds; round++) {
    // New ones for each round, because they expire after an hour.
    const pools = await fillPools(subjects)
    for (const phase of options.phases) {
      for (const subject of rotate(subjects, round)) {
        const forms = await writeForms(directory, subject, phase, pools.get(subject) ?? [])
        const measured = await measure(deps, subject, phase, forms, `${phase}-${round + 1}`)
        series.find((one) => one.phase === phase && one.subject === subject.name)?.rounds.push(measured)
        tell(`round ${round + 1} of ${options.rounds}: ${describe(measured, phase, subject)}`)
      }
    }
  }
  return series
}

/** One run in one line. */
export function describe({ perSecond, latency, usage }: Measurement, phase: Phase, subject: Subject): string {
  const times = `p50 ${latency.p50.toFixed(1)} ms, p99 ${latency.p99.toFixed(1)} ms`
  const machine = `idle ${percent(usage.idle)}, other programs ${percent(usage.others)}`
  return `${phase} ${subject.name} ${Math.round(perSecond)}/s, ${times}, machine ${machine}`
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`
}

/** The list with its first items moved to its end. */
export function rotate<Item>(items: readonly Item[], by: number): Item[] {
  const first = by % items.length
  return [...items.slice(first), ...items.slice(0, first)]
}
