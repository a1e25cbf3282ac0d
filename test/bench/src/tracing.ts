import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from './durability.ts'
import { BenchFailure } from './failure.ts'
import { type Gatehouse, startGatehouse } from './gatehouse.ts'
import { send } from './http.ts'
import type { Options } from './options.ts'
import { startRival } from './rivals.ts'
import { rotate } from './rounds.ts'
import { type Measurement, measure, type RunDeps } from './run.ts'
import { median } from './statistics.ts'
import { gatehouseSubject, writeForms } from './subjects.ts'

/** How many of the requests are recorded. */
export const sampledShare = 0.1

/** The least of its speed that issuing must keep with that. */
export const leastRatio = 0.85

/** Tokens by a system that traces nothing and by one that records some of its requests. */
export type TracingRound = { off: Measurement; on: Measurement }

/** What was found in all rounds. */
export type TracingResult = {
  rounds: TracingRound[]
  /** How many of the token requests of the tracing system had their spans sent. */
  recordedShare: number
}

/** The middle of all rounds. */
export type TracingSummary = {
  off: number
  on: number
  /** Of each round, the tracing system's rate by the other's: the machine's speed drifts. */
  ratio: number
  /** The same of the CPU that all processes need for a token. */
  cpuPerRequest: number
  p99: { off: number; on: number }
}

/** How often a process sends what it has, in milliseconds: OpenTelemetry's own default. */
const sendEvery = 5_000

/**
 * Measures what tracing costs: a second system, which records a tenth of its requests and sends their spans to a sink in
 * a process of its own, and the first one issue tokens in turn.
 * @param directory for the second system's data
 * @throws BenchFailure when not about a tenth of the requests reached the sink, or an answer was wrong
 */
export async function runTracingRounds(
  deps: RunDeps & {
    options: Pick<Options, 'rounds'>
    gatehouse: Gatehouse
    directory: string
    /** As `startGatehouse` has it, for the second system. */
    start: Omit<Parameters<typeof startGatehouse>[0], 'directory'>
    /** Profiles the second system. */
    profiled?: (system: Gatehouse['system']) => RunDeps['around']
  },
): Promise<TracingResult> {
  const { options, gatehouse, directory, start, profiled } = deps
  const { tell } = start
  const { credentials, answers } = gatehouse
  const sink = await startRival('span-sink', { credentials, answers }, start.stack)
  tell('starting a system that traces …')
  const tracing = await startGatehouse({
    ...start,
    directory,
    variables: {
      ...start.variables,
      OTEL_EXPORTER_OTLP_ENDPOINT: sink.url,
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: String(sampledShare),
      OTEL_BSP_SCHEDULE_DELAY: String(sendEvery),
    },
  })
  const database = await openDatabase(tracing.system.databaseUrl, start.stack)
  const sides = {
    off: { subject: gatehouseSubject(gatehouse), deps: { ...deps, around: undefined } },
    on: {
      subject: gatehouseSubject(tracing),
      deps: { ...deps, database, around: profiled?.(tracing.system) },
    },
  }
  sides.on.subject.watched.push(sink.watched)
  const measureSide = async (side: keyof typeof sides, number: number) => {
    const { subject, deps } = sides[side]
    return measure(
      deps,
      subject,
      'issue',
      await writeForms(directory, subject, 'issue', []),
      `${side}-${number}`,
    )
  }

  // Of a round before the first: code that V8 has not optimized yet costs the more the more of it there is.
  tell('warming both up …')
  let answered = 0
  for (const side of ['off', 'on'] as const) answered = (await measureSide(side, 0)).stored?.answered ?? 0
  const rounds: TracingRound[] = []
  for (let number = 0; number < options.rounds; number += 1) {
    const round: Partial<TracingRound> = {}
    for (const side of rotate(['off', 'on'] as const, number))
      round[side] = await measureSide(side, number + 1)
    rounds.push(round as TracingRound)
    tell(`round ${number + 1} of ${options.rounds}: ${describe(round as TracingRound)}`)
  }
  await sleep(sendEvery + 1_000)
  tracing.checkAlive()
  answered += rounds.reduce((sum, { on }) => sum + (on.stored?.answered ?? 0), 0)
  const { recorded } = JSON.parse((await send(sink.url)).text) as { recorded: number }
  const recordedShare = recorded / answered
  if (recordedShare < sampledShare * 0.8 || recordedShare > sampledShare * 1.2)
    throw new BenchFailure(`Of ${answered} requests ${(recordedShare * 100).toFixed(1)} % were recorded`)
  return { rounds, recordedShare }
}

function describe({ off, on }: TracingRound): string {
  const rates = `${Math.round(on.perSecond)} tokens/s with tracing, ${Math.round(off.perSecond)} without`
  return `${rates}: ${(on.perSecond / off.perSecond).toFixed(3)}`
}

/** Sums up the rounds. */
export function summarizeTracing(rounds: readonly TracingRound[]): TracingSummary {
  const middle = (pick: (round: TracingRound) => number) => median(rounds.map(pick))
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
