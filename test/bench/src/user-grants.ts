import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { BesideDeps } from './beside.ts'
import { openDatabase } from './durability.ts'
import { startGatehouse } from './gatehouse.ts'
import { addPeople, getCode, logInOnce, loginVariables, redeemCode, refresh } from './login.ts'
import { type Latency, latencyOf } from './login-load.ts'
import type { Options } from './options.ts'
import { renderDisturbance, table } from './report.ts'
import { median } from './statistics.ts'
import { type Usage, watch } from './usage.ts'

/** What apps do for users who are logged in, in this order: each step uses what the one before gave. */
const steps = ['authorize', 'redeem', 'refresh'] as const
type Step = (typeof steps)[number]

type Measured = { perSecond: number; latency: Latency; cpuMicroseconds: number; usage: Usage }

/** One round of all steps. */
export type UserGrantsRound = Record<Step, Measured>

/**
 * Measures codes for users with a session and a remembered consent, the redemption of these codes, and refreshes of the tokens.
 * @throws BenchFailure when an answer was wrong
 */
export async function runUserGrantsRounds({
  options,
  start,
  directory: parent,
  signal,
}: Omit<BesideDeps, 'options'> & {
  options: Pick<Options, 'rounds' | 'seconds' | 'warmUpSeconds' | 'connections'>
}): Promise<UserGrantsRound[]> {
  const directory = join(parent, 'user-grants')
  mkdirSync(directory, { mode: 0o711 })
  start.tell('starting a system with refresh tokens …')
  const system = await startGatehouse({
    ...start,
    directory,
    variables: { ...start.variables, ...loginVariables, OAUTH2_REFRESH_TOKEN_ENABLED: 'true' },
  })
  const database = await openDatabase(system.system.databaseUrl, start.stack)
  const grants = ['authorization_code', 'refresh_token']
  const people = await addPeople(system, database.client, 'read', grants)
  const cookies = await Promise.all(Array.from({ length: 16 }, (_, number) => logInOnce(people, number)))

  /** Does something once for each of the inputs, or until the time is over. */
  async function measure<In, Out>(inputs: Iterator<In>, seconds: number, once: (input: In) => Promise<Out>) {
    const stopWatching = watch(system.watched)
    const began = performance.now()
    const end = began + seconds * 1000
    const times: number[] = []
    const outputs: Out[] = []
    const caller = async () => {
      for (;;) {
        const from = performance.now()
        if (from >= end || signal.aborted) return
        const { done, value } = inputs.next()
        if (done) return
        outputs.push(await once(value))
        times.push(performance.now() - from)
      }
    }
    await Promise.all(Array.from({ length: options.connections }, caller))
    signal.throwIfAborted()
    const elapsed = (performance.now() - began) / 1000
    const usage = stopWatching()
    const watched = new Set(system.watched.map(({ name }) => name))
    const cores = usage.processes
      .filter(({ name }) => watched.has(name))
      .reduce((sum, one) => sum + one.cores, 0)
    const measured: Measured = {
      perSecond: times.length / elapsed,
      latency: latencyOf(times),
      cpuMicroseconds: (cores * usage.seconds * 1e6) / times.length,
      usage,
    }
    return { measured, outputs }
  }

  async function round(seconds: number): Promise<UserGrantsRound> {
    const authorize = await measure(cycle(cookies), seconds, (cookie) => getCode(people, cookie))
    const redeem = await measure(authorize.outputs.values(), Number.POSITIVE_INFINITY, (code) =>
      redeemCode(people, code),
    )
    const refreshed = await measure(redeem.outputs.values(), Number.POSITIVE_INFINITY, (token) =>
      refresh(people, token),
    )
    return { authorize: authorize.measured, redeem: redeem.measured, refresh: refreshed.measured }
  }

  start.tell('warming up …')
  await round(options.warmUpSeconds)
  const rounds: UserGrantsRound[] = []
  for (let number = 0; number < options.rounds; number += 1) rounds.push(await round(options.seconds))
  system.checkAlive()
  return rounds
}

function* cycle<Item>(items: readonly Item[]): Generator<Item> {
  for (;;) yield* items
}

/** What users' grants cost, for people. */
export function renderUserGrants(rounds: readonly UserGrantsRound[]): string {
  const middle = (pick: (round: UserGrantsRound) => number) => median(rounds.map(pick))
  const line = (name: string, step: Step) => [
    name,
    middle((round) => round[step].perSecond).toFixed(0),
    middle((round) => round[step].latency.p50).toFixed(1),
    middle((round) => round[step].latency.p99).toFixed(1),
    middle((round) => round[step].cpuMicroseconds).toFixed(0),
  ]
  const lines = [
    ...table([
      ['For users who are logged in', 'a second', 'p50 ms', 'p99 ms', 'CPU µs each'],
      line('a code, with a remembered consent', 'authorize'),
      line('a code redeemed', 'redeem'),
      line('a refresh', 'refresh'),
    ]),
    ...renderDisturbance(rounds.flatMap((round) => steps.map((step) => round[step].usage))),
  ]
  return `${lines.join('\n')}\n\n`
}
