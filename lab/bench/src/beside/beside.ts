import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Database, openDatabase } from '../durability.ts'
import { type Gatehouse, startGatehouse } from '../gatehouse.ts'
import { median } from '../measuring/statistics.ts'
import type { Watched } from '../measuring/usage.ts'
import type { Options, Phase } from '../options.ts'
import { rotate } from '../rounds.ts'
import { type Measurement, measure, type RunDeps } from '../run.ts'
import { gatehouseSubject, type Subject, writeForms } from '../subjects.ts'

/** A system as it is, and one with something different, under the same load. */
export type BesideRound = { off: Measurement; on: Measurement }

/** The medians of all rounds. */
export type BesideSummary = {
  off: number
  on: number
  /** The median of the rounds' own ratios of both rates, because the machine's speed drifts. */
  ratio: number
  /** The same for the CPU that all processes need for a request. */
  cpuPerRequest: number
  p99: { off: number; on: number }
}

/** The needs of measuring a second system. */
export type BesideDeps = RunDeps & {
  options: Pick<Options, 'rounds'>
  gatehouse: Gatehouse
  /** For the second system's data. */
  directory: string
  /** The options of `startGatehouse` for the second system. */
  start: Omit<Parameters<typeof startGatehouse>[0], 'directory'>
  /** Profiles the second system. */
  profiled?: (system: Gatehouse['system']) => RunDeps['around']
}

/** One of two systems that are measured in turn. */
type Side = { subject: Subject; deps: RunDeps }

/** Both systems. */
export type Sides = { off: Side; on: Side }

/** The second system, and the rounds of the comparison. */
export type Beside = {
  rounds: BesideRound[]
  other: Gatehouse
  database: Database
  /** How many tokens the second system answered. */
  answered: number
}

/** The difference of the second system. */
type Difference = {
  /** The name of the difference, for people and for the second system's directory. */
  name: string
  /** The variables that switch it on. */
  variables: Record<string, string>
  /** The processes that belong to it. */
  watched?: Watched[]
}

/**
 * Measures the cost of something that can be switched on: a second system with it and the first one without it issue tokens in
 * turn.
 * @throws BenchFailure when an answer was wrong
 */
export async function runBeside(deps: BesideDeps, difference: Difference): Promise<Beside> {
  const { sides, other, database } = await startBeside(deps, difference)
  const { rounds, answered } = await measureInTurn(deps, { sides, phase: 'issue', name: difference.name })
  return { rounds, other, database, answered }
}

/** Starts the second system. */
export async function startBeside(
  deps: BesideDeps,
  { name, variables, watched = [] }: Difference,
): Promise<{ sides: Sides; other: Gatehouse; database: Database }> {
  const { gatehouse, start, profiled } = deps
  const directory = join(deps.directory, name)
  mkdirSync(directory, { mode: 0o711 })
  start.tell(`starting a system with ${name} …`)
  const other = await startGatehouse({
    ...start,
    directory,
    variables: { ...start.variables, ...variables },
  })
  const database = await openDatabase(other.system.databaseUrl, start.stack)
  const sides = {
    off: { subject: gatehouseSubject(gatehouse), deps: { ...deps, around: undefined } },
    on: { subject: gatehouseSubject(other), deps: { ...deps, database, around: profiled?.(other.system) } },
  }
  sides.on.subject.watched.push(...watched)
  return { sides, other, database }
}

/**
 * Measures both systems in turn, in another order each round.
 * @param tokens those to introspect
 * @returns the rounds, and how many requests the second system answered in them and in the warm-up
 * @throws BenchFailure when an answer was wrong
 */
export async function measureInTurn(
  { options, directory, start: { tell } }: Pick<BesideDeps, 'options' | 'directory' | 'start'>,
  {
    sides,
    phase,
    name,
    tokens = { off: [], on: [] },
  }: { sides: Sides; phase: Phase; name: string; tokens?: Record<keyof Sides, readonly string[]> },
): Promise<{ rounds: BesideRound[]; answered: number }> {
  const measureSide = async (side: keyof Sides, number: number) => {
    const { subject, deps } = sides[side]
    const forms = await writeForms(directory, subject, phase, tokens[side])
    return measure(deps, subject, phase, forms, `${name}-${side}-${number}`)
  }

  // Before the first round, because code that V8 has not optimized yet is slow, and the second system may have more code.
  tell('warming both up …')
  let answered = 0
  for (const side of ['off', 'on'] as const) answered = (await measureSide(side, 0)).stored?.answered ?? 0
  const rounds: BesideRound[] = []
  for (let number = 0; number < options.rounds; number += 1) {
    const round: Partial<BesideRound> = {}
    for (const side of rotate(['off', 'on'] as const, number))
      round[side] = await measureSide(side, number + 1)
    rounds.push(round as BesideRound)
    tell(`round ${number + 1} of ${options.rounds}: ${describe(phase, name, round as BesideRound)}`)
  }
  answered += rounds.reduce((sum, { on }) => sum + (on.stored?.answered ?? 0), 0)
  return { rounds, answered }
}

function describe(phase: Phase, name: string, { off, on }: BesideRound): string {
  const what = phase === 'issue' ? 'tokens' : 'introspections'
  const rates = `${Math.round(on.perSecond)} ${what}/s with ${name}, ${Math.round(off.perSecond)} without`
  return `${rates}: ${(on.perSecond / off.perSecond).toFixed(3)}`
}

/** Sums up the rounds. */
export function summarizeBeside(rounds: readonly BesideRound[]): BesideSummary {
  const middle = (pick: (round: BesideRound) => number) => median(rounds.map(pick))
  return {
    off: middle(({ off }) => off.perSecond),
    on: middle(({ on }) => on.perSecond),
    ratio: middle(({ off, on }) => on.perSecond / off.perSecond),
    cpuPerRequest: middle(({ off, on }) => cpuOf(on) / cpuOf(off)),
    p99: { off: middle(({ off }) => off.latency.p99), on: middle(({ on }) => on.latency.p99) },
  }
}

const notServing: ReadonlySet<string> = new Set(['wrk', 'launcher', 'span-sink'])

function cpuOf({ perSecond, usage }: Measurement): number {
  const serving = usage.processes.filter(({ name }) => !notServing.has(name))
  return serving.reduce((sum, { cores }) => sum + cores, 0) / perSecond
}
