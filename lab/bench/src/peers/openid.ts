import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { BesideDeps } from '../beside/beside.ts'
import { openDatabase } from '../durability.ts'
import { BenchFailure } from '../failure.ts'
import { startGatehouse } from '../gatehouse.ts'
import { addPeople, getTokensInSession, logInOnce, loginVariables } from '../logins/login.ts'
import { type Rate, repeated } from '../logins/login-load.ts'
import { median } from '../measuring/statistics.ts'
import { type Usage, watch } from '../measuring/usage.ts'
import type { Options } from '../options.ts'
import { renderDisturbance, table } from '../report.ts'
import { rotate } from '../rounds.ts'

type Side = Rate & { usage: Usage }

/** Codes redeemed for an access token alone, and for an ID token too. */
export type OpenidRound = { without: Side; with: Side }

const scopes = { without: 'read', with: 'openid read' } as const

/**
 * Measures what an ID token costs: apps get tokens for users who are logged in and agreed before, with the scope openid and
 * without, in turn, from a second system that is an OpenID provider.
 * @throws BenchFailure when an answer was wrong
 */
export async function runOpenidRounds({
  options,
  start,
  directory: parent,
  signal,
}: Omit<BesideDeps, 'options'> & {
  options: Pick<Options, 'rounds' | 'seconds' | 'warmUpSeconds'>
}): Promise<OpenidRound[]> {
  const directory = join(parent, 'openid')
  mkdirSync(directory, { mode: 0o711 })
  start.tell('starting an OpenID provider …')
  const openid = { OAUTH2_OPENID_ENABLED: 'true', OAUTH2_SCOPES_SUPPORTED: 'openid read' }
  const provider = await startGatehouse({
    ...start,
    directory,
    variables: { ...start.variables, ...loginVariables, ...openid },
  })
  const database = await openDatabase(provider.system.databaseUrl, start.stack)
  const people = await addPeople(provider, database.client, 'openid read')
  const cookies = await Promise.all(Array.from({ length: 16 }, (_, number) => logInOnce(people, number)))
  let next = 0
  const load = async (side: keyof typeof scopes, seconds: number): Promise<Side> => {
    const stopWatching = watch(provider.watched)
    const once = async () => {
      next += 1
      const text = await getTokensInSession(people, cookies[next % cookies.length] ?? '', scopes[side])
      if (text.includes('"id_token"') !== (side === 'with'))
        throw new BenchFailure(`A token response was wrong: ${text.length} characters for ${scopes[side]}`)
    }
    const rate = await repeated(once, seconds, signal)
    return { ...rate, usage: stopWatching() }
  }

  start.tell('warming both up …')
  for (const side of ['without', 'with'] as const) await load(side, options.warmUpSeconds)
  const rounds: OpenidRound[] = []
  for (let number = 0; number < options.rounds; number += 1) {
    const round: Partial<OpenidRound> = {}
    for (const side of rotate(['without', 'with'] as const, number))
      round[side] = await load(side, options.seconds)
    rounds.push(round as OpenidRound)
  }
  provider.checkAlive()
  return rounds
}

/** The cost of an ID token, in words for people. */
export function renderOpenid(rounds: readonly OpenidRound[]): string {
  const middle = (pick: (round: OpenidRound) => number) => median(rounds.map(pick))
  const line = (name: string, side: keyof OpenidRound) => [
    name,
    middle((round) => round[side].perSecond).toFixed(0),
    middle((round) => round[side].latency.p99).toFixed(1),
  ]
  const ratio = middle((round) => round.with.perSecond / round.without.perSecond)
  const lines = [
    ...table([
      ['Codes redeemed in a session, 16 at once', 'a second', 'p99 ms'],
      line('an access token', 'without'),
      line('and an ID token (RS256)', 'with'),
    ]),
    '',
    `  With ID tokens redeeming keeps ${(ratio * 100).toFixed(1)} % of its speed.`,
    ...renderDisturbance(rounds.flatMap((round) => [round.without.usage, round.with.usage])),
  ]
  return `${lines.join('\n')}\n\n`
}
