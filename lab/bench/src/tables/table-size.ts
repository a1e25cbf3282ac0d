import { longestWait, measureAdminPages, type PageTimes } from '../admin-pages.ts'
import {
  type BesideDeps,
  type BesideRound,
  measureInTurn,
  type Sides,
  startBeside,
  summarizeBeside,
} from '../beside/beside.ts'
import type { Options } from '../options.ts'
import { fillPools } from '../subjects.ts'
import { fillTable, settleTable, someStoredTokens } from './table-fill.ts'

/** The loads that are measured with many tokens: issuing, and introspecting tokens that were issued just now, or at any time. */
const loads = { issue: 'issue', 'introspect recent': 'introspect', 'introspect any': 'introspect' } as const
/** One of these loads. */
export type SizeLoad = keyof typeof loads
const sizeLoads = Object.keys(loads) as SizeLoad[]

/** Gatehouse with so many tokens stored, in turn with one that has stored few. */
export type SizeResult = {
  storedTokens: number
  series: { load: SizeLoad; rounds: BesideRound[] }[]
  /** The times of administrators' pages. */
  pages: { few: PageTimes[]; many: PageTimes[] }
}

/** The cost of a size under one load, as multiples. */
export type SizeCost = {
  storedTokens: number
  load: SizeLoad
  throughput: number
  /** Unlike throughput, other programs hardly affect it. */
  cpuPerRequest: number
  /** Whether enough of the speed is kept. For tokens of any time it always is, since it depends on PostgreSQL's memory. */
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
    for (const { client } of [few, many]) await settleTable(client, tell)
    const series: SizeResult['series'] = []
    for (const load of sizeLoads) {
      const phase = loads[load]
      if (!options.phases.includes(phase)) continue
      const tokens = await tokensFor(load, storedTokens)
      const name = `${storedTokens} tokens stored`
      series.push({ load, rounds: (await measureInTurn(deps, { sides, phase, name, tokens })).rounds })
    }
    tell(`with ${storedTokens} tokens: an administrator looks …`)
    const pages = { few: await measureAdminPages(gatehouse), many: await measureAdminPages(other) }
    results.push({ storedTokens, series, pages })
  }
  other.checkAlive()
  return results

  /** The tokens to introspect. */
  async function tokensFor(load: SizeLoad, storedTokens: number): Promise<Record<keyof Sides, string[]>> {
    if (load === 'issue') return { off: [], on: [] }
    const pools = await fillPools([sides.off.subject, sides.on.subject], poolSize)
    const [off = [], recent = []] = pools.values()
    const isAny = load === 'introspect any'
    return { off, on: isAny ? await someStoredTokens(many.client, poolSize, storedTokens, other) : recent }
  }
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
