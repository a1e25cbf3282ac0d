import type { Database } from '../durability.ts'
import { BenchFailure } from '../failure.ts'
import type { Gatehouse } from '../gatehouse.ts'
import { median } from '../measuring/statistics.ts'
import { type Usage, watch } from '../measuring/usage.ts'
import type { Options } from '../options.ts'
import { rotate } from '../rounds.ts'
import { addPeople, logInOnce } from './login.ts'
import { type Beside, type Rate, runBeside, runHashes, runLogins } from './login-load.ts'

/** One round: hashes alone, whole logins, and the latencies of other requests without and with logins. */
export type LoginRound = {
  bound: Rate
  logins: Rate & { usage: Usage }
  without: Beside
  beside: Beside
}

/** The medians of all rounds. */
export type LoginSummary = {
  perSecond: number
  bound: number
  /** The median of the rounds' own ratios of logins and bound, because the machine's speed drifts. */
  ratio: number
  latency: { p50: number; p99: number }
  without: Record<keyof Beside, { p50: number; p99: number }>
  beside: Record<keyof Beside, { p50: number; p99: number }>
}

/** The user that logs in for the requests beside the logins; the others count up from 0. */
const someone = 1_000_000

/**
 * Measures logins against their bound, in turn and in another order each round.
 * @throws BenchFailure when a login fails, or a redeemed code is not stored as redeemed
 */
export async function runLoginRounds(deps: {
  options: Pick<Options, 'rounds' | 'seconds' | 'warmUpSeconds'>
  gatehouse: Gatehouse
  database: Database
  signal: AbortSignal
  tell: (line: string) => void
  /** Called right before and after the logins. */
  around?: { begin(label: string): Promise<void>; end(): Promise<void> }
}): Promise<LoginRound[]> {
  const { options, gatehouse, database, signal, tell, around } = deps
  const { seconds } = options
  const { credentials, watched } = gatehouse
  const people = await addPeople(gatehouse, database.client)
  const cookie = await logInOnce(people, someone)
  const beside = () => runBeside(people, credentials, cookie, seconds, signal)
  let answered = 1
  const logIn = async (round: number): Promise<LoginRound['logins']> => {
    await around?.begin(`login-${round}`)
    const stopWatching = watch(watched)
    const rate = await runLogins(people, seconds, signal)
    const usage = stopWatching()
    await around?.end()
    answered += rate.latency.count
    return { ...rate, usage }
  }

  tell('warming logins up …')
  answered += (await runLogins(people, options.warmUpSeconds, signal)).latency.count
  await runHashes(people, 1, signal)
  const rounds: LoginRound[] = []
  for (let number = 0; number < options.rounds; number += 1) {
    const runs: (() => Promise<Partial<LoginRound>>)[] = [
      async () => ({ bound: await runHashes(people, seconds, signal) }),
      async () => ({ logins: await logIn(number + 1) }),
      async () => ({ without: await beside() }),
      async () => {
        const [busy, seen] = await Promise.all([runLogins(people, seconds, signal), beside()])
        answered += busy.latency.count
        return { beside: seen }
      },
    ]
    const round: Partial<LoginRound> = {}
    for (const run of rotate(runs, number)) Object.assign(round, await run())
    const complete = round as LoginRound
    rounds.push(complete)
    tell(`round ${number + 1} of ${options.rounds}: ${describe(complete)}`)
  }
  const { rows } = await database.client.query<{ redeemed: string }>(
    'select count(*) as redeemed from token.authorization_codes where redeemed_at is not null',
  )
  if (Number(rows[0]?.redeemed) < answered)
    throw new BenchFailure(`Gatehouse redeemed ${answered} codes and has only ${rows[0]?.redeemed} of them`)
  return rounds
}

function describe({ bound, logins, without, beside }: LoginRound): string {
  const rates = `${logins.perSecond.toFixed(1)} logins/s of ${bound.perSecond.toFixed(1)} hashes/s`
  return `${rates}; tokens beside p99 ${beside.tokens.p99.toFixed(1)} ms, without ${without.tokens.p99.toFixed(1)} ms`
}

/** Sums up the rounds. */
export function summarizeLogins(rounds: readonly LoginRound[]): LoginSummary {
  const middle = (pick: (round: LoginRound) => number) => median(rounds.map(pick))
  const others = (when: 'without' | 'beside') => {
    const of = (kind: keyof Beside) => ({
      p50: middle((round) => round[when][kind].p50),
      p99: middle((round) => round[when][kind].p99),
    })
    return { tokens: of('tokens'), pages: of('pages') }
  }
  return {
    perSecond: middle(({ logins }) => logins.perSecond),
    bound: middle(({ bound }) => bound.perSecond),
    ratio: middle(({ logins, bound }) => logins.perSecond / bound.perSecond),
    latency: {
      p50: middle(({ logins }) => logins.latency.p50),
      p99: middle(({ logins }) => logins.latency.p99),
    },
    without: others('without'),
    beside: others('beside'),
  }
}
