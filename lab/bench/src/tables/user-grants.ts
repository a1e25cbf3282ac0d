import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { BesideDeps } from '../beside/beside.ts'
import { cycle, type Measured, measureCalls } from '../callers.ts'
import { openDatabase } from '../durability.ts'
import { startGatehouse } from '../gatehouse.ts'
import { addPeople, getCode, logInOnce, loginVariables, redeemCode, refresh } from '../logins/login.ts'
import { median } from '../measuring/statistics.ts'
import type { Options } from '../options.ts'
import { renderDisturbance, table } from '../report.ts'

/** The steps of apps for users who are logged in, in this order: each step uses the result of the one before. */
const steps = ['authorize', 'redeem', 'refresh'] as const
type Step = (typeof steps)[number]

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

  async function round(seconds: number): Promise<UserGrantsRound> {
    const deps = { watched: system.watched, connections: options.connections, signal }
    const all = Number.POSITIVE_INFINITY
    const authorize = await measureCalls(deps, cycle(cookies), seconds, (cookie) => getCode(people, cookie))
    const redeem = await measureCalls(deps, authorize.outputs.values(), all, (code) =>
      redeemCode(people, code),
    )
    const refreshed = await measureCalls(deps, redeem.outputs.values(), all, (token) =>
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

/** The cost of users' grants, in words for people. */
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
