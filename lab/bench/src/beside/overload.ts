import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { issueForm } from '../answers.ts'
import { BenchFailure } from '../failure.ts'
import { type Gatehouse, startGatehouse } from '../gatehouse.ts'
import { median } from '../measuring/statistics.ts'
import { type Usage, watch } from '../measuring/usage.ts'
import { paths } from '../options.ts'
import { rotate } from '../rounds.ts'
import { gatehouseSubject } from '../subjects.ts'
import type { BesideDeps } from './beside.ts'
import type { FloodOrder, FloodReport } from './flood.ts'

/** The least of its speed that issuing must keep in a flood. */
export const leastInFlood = 0.8

/** Callers who each ask again as soon as they are answered: as many as keep the system busy, and ten times as many. */
const callers = { busy: 500, flood: 5_000 }

/** One flood, and what it used. */
export type FloodRun = FloodReport & { usage: Usage }

/** The same system with each number of callers. */
export type OverloadRound = Record<keyof typeof callers, FloodRun>

/** The medians of all rounds. */
export type OverloadSummary = {
  /** Tokens a second. */
  busy: number
  flood: number
  /** The median of the rounds' own ratios, because the machine's speed drifts. */
  ratio: number
  /** The share of the requests in a flood that were refused. */
  refused: number
  /** The median times of the answers in a flood, in milliseconds. */
  issuedMs: number
  refusedMs: number
}

/**
 * Measures how many tokens a system with resilience switched on still issues when far more ask than it can serve.
 * @throws BenchFailure when a request got neither a token nor 503 with Retry-After
 */
export async function runOverloadRounds(deps: BesideDeps): Promise<OverloadRound[]> {
  const { options, start } = deps
  const directory = join(deps.directory, 'overload')
  mkdirSync(directory, { mode: 0o711 })
  start.tell('starting a system with resilience …')
  const variables = { ...start.variables, OAUTH2_RESILIENCE_ENABLED: 'true' }
  const gatehouse = await startGatehouse({ ...start, directory, variables })
  const kinds = ['busy', 'flood'] as const
  start.tell('warming it up …')
  for (const kind of kinds) await flood(gatehouse, callers[kind], options.warmUpSeconds)
  const rounds: OverloadRound[] = []
  for (let number = 0; number < options.rounds; number += 1) {
    const round: Partial<OverloadRound> = {}
    for (const kind of rotate(kinds, number))
      round[kind] = await flood(gatehouse, callers[kind], options.seconds)
    rounds.push(round as OverloadRound)
    const { busy, flood: flooded, ratio } = summarizeOverload([round as OverloadRound])
    const rates = `${Math.round(flooded)} tokens/s in a flood, ${Math.round(busy)} before`
    start.tell(`round ${number + 1} of ${options.rounds}: ${rates}: ${ratio.toFixed(3)}`)
  }
  gatehouse.checkAlive()
  return rounds
}

/** Sums up the rounds. */
export function summarizeOverload(rounds: readonly OverloadRound[]): OverloadSummary {
  const middle = (pick: (round: OverloadRound) => number) => median(rounds.map(pick))
  return {
    busy: middle(({ busy }) => perSecond(busy)),
    flood: middle(({ flood }) => perSecond(flood)),
    ratio: middle(({ busy, flood }) => perSecond(flood) / perSecond(busy)),
    refused: middle(({ flood: { byStatus } }) => {
      const refused = byStatus[503]?.count ?? 0
      return refused / (refused + (byStatus[200]?.count ?? 0))
    }),
    issuedMs: middle(({ flood }) => flood.byStatus[200]?.p50Ms ?? 0),
    refusedMs: middle(({ flood }) => flood.byStatus[503]?.p50Ms ?? 0),
  }
}

function perSecond({ byStatus, tookMs }: FloodReport): number {
  return ((byStatus[200]?.count ?? 0) * 1_000) / tookMs
}

async function flood(gatehouse: Gatehouse, count: number, seconds: number): Promise<FloodRun> {
  const order: FloodOrder = {
    port: Number(new URL(gatehouse.url).port),
    request: tokenRequest(gatehouse),
    callers: count,
    forMs: seconds * 1_000,
  }
  const stopWatching = watch(gatehouseSubject(gatehouse).watched)
  const report = await runFlood(order)
  const usage = stopWatching()
  const wrong = Object.keys(report.byStatus).filter((status) => !['200', '503'].includes(status))
  if (wrong.length > 0)
    throw new BenchFailure(`${count} callers at once got answers with status ${wrong.join(', ')} (0: none)`)
  if (report.withoutRetryAfter > 0)
    throw new BenchFailure(`${report.withoutRetryAfter} refusals had no Retry-After`)
  return { ...report, usage }
}

function tokenRequest({ credentials }: Gatehouse): string {
  const form = issueForm(credentials)
  const lines = [
    `POST ${paths.issue} HTTP/1.1`,
    'host: localhost',
    'content-type: application/x-www-form-urlencoded',
    `content-length: ${form.length}`,
  ]
  return `${lines.join('\r\n')}\r\n\r\n${form}`
}

/** Runs a flood in a process of its own, and waits until that has ended, so that what it used is counted. */
async function runFlood(order: FloodOrder): Promise<FloodReport> {
  const child = fork(new URL('./flood.ts', import.meta.url), { execArgv: [] })
  let report: FloodReport | undefined
  child.once('message', (message) => {
    report = message as FloodReport
  })
  child.send(order)
  await once(child, 'exit')
  if (report === undefined) throw new BenchFailure('The process that makes the flood failed')
  return report
}
