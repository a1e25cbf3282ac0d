import { longestWait, measureAdminPages, type PageTimes } from './admin-pages.ts'
import { type BesideDeps, type BesideRound, measureInTurn, startBeside, summarizeBeside } from './beside.ts'
import type { Options } from './options.ts'
import { fillPools } from './subjects.ts'
import { fillTable, someStoredTokens } from './table-fill.ts'

/** What is measured with many tokens: issuing, and introspecting tokens that were issued just now, or at any time. */
const loads = { issue: 'issue', 'introspect recent': 'introspect', 'introspect any': 'introspect' } as const
export type SizeLoad = keyof typeof loads

/** Gatehouse with so many tokens stored, in turn with one that has stored few. */
export type SizeResult = {
  storedTokens: number
  series: { load: SizeLoad; rounds: BesideRound[] }[]
  /** The times of administrators' pages. */
  pages: { few: PageTimes[]; many: PageTimes[] }
}

/** What a size costs under one load, as multiples. */
export type SizeCost = {
  storedTokens: number
  load: SizeLoad
  throughput: number
  /** Unlike throughput, other programs hardly affect it. */
  cpuPerRequest: number
  /** Whether enough of the speed is kept. Tokens of any time depend on what fits into PostgreSQL's memory, so nothing is too little. */
  enough: boolean
}

/** The least of its speed that Gatehouse must keep. */
export const leastWithTokens = 1 / 1.1

/** The tokens that are introspected in turn: enough to be spread all over the table. */
const poolSize = 20_000

/**
 * Measures two systems in turn: one that has stored only what the measurement asks for, and one with rising numbers of tokens.
 * @throws BenchFailure when an answer was wrong
 */
export async function runTableSizes(
  deps: BesideDeps & { options: Pick<Options, 'rounds' | 'phases' | 'tableRows'> },
): Promise<SizeResult[]> {
  const { options, gatehouse, database: few, start } = deps
  const { tell, signal } = start
  const { sides, other, database: many } = await startBeside(deps, { name: 'many tokens', variables: {} })
  const results: SizeResult[] = []
  for (const storedTokens of options.tableRows) {
    await few.client.query('truncate token.access_tokens')
    await fillTable(many.client, storedTokens, other, signal, tell)
    const series: SizeResult['series'] = []
    for (const load of (Object.keys(loads) as SizeLoad[]).filter((load) =>
      options.phases.includes(loads[load]),
    )) {
      const pools = await fillPools([sides.off.subject, sides.on.subject], poolSize)
      const recent = (side: keyof typeof sides) => pools.get(sides[side].subject) ?? []
      const any =
        load === 'introspect any' && (await someStoredTokens(many.client, poolSize, storedTokens, other))
      const tokens = { off: recent('off'), on: any || recent('on') }
      const name = `${storedTokens} tokens`
      const { rounds } = await measureInTurn(deps, { sides, phase: loads[load], name, tokens })
      series.push({ load, rounds })
    }
    tell(`with ${storedTokens} tokens: an administrator looks …`)
    const pages = { few: await measureAdminPages(gatehouse), many: await measureAdminPages(other) }
    results.push({ storedTokens, series, pages })
  }
  other.checkAlive()
  return results
}

/** The cost of each size. */
export function sizeCosts(results: readonly SizeResult[]): SizeCost[] {
  return results.flatMap(({ storedTokens, series }) =>
    series.map(({ load, rounds }) => {
      const { ratio: throughput, cpuPerRequest } = summarizeBeside(rounds)
      const enough = load === 'introspect any' || throughput >= leastWithTokens
      return { storedTokens, load, throughput, cpuPerRequest, enough }
    }),
  )
}

/** Whether all sizes keep their speed, and all pages of administrators are quick enough. */
export function areSizesWithinBounds(results: readonly SizeResult[]): boolean {
  return (
    sizeCosts(results).every(({ enough }) => enough) &&
    results.flatMap(({ pages }) => pages.many).every(({ p95 }) => p95 <= longestWait)
  )
}
