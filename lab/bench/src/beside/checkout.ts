import { join, resolve } from 'node:path'
import type { ServiceName } from '@gatehouse/local/services'
import type { Options, Phase } from '../options.ts'
import { fillPools } from '../subjects.ts'
import { type BesideDeps, type BesideRound, measureInTurn, startBeside } from './beside.ts'

/** The measurements of one phase, in which `off` is the other checkout and `on` this one. */
export type CheckoutResult = { phase: Phase; rounds: BesideRound[] }

/**
 * Measures this checkout and another one in turn. Both have the tables of this one, so the other must be a release that runs beside it.
 * @param other the directory of the other checkout, with its packages installed
 * @throws BenchFailure when an answer was wrong
 */
export async function runCheckoutRounds(
  deps: BesideDeps & { options: Pick<Options, 'rounds'> },
  other: string,
  phases: readonly Phase[],
): Promise<CheckoutResult[]> {
  const entry = (name: ServiceName) => join(resolve(other), 'services', name, 'src', 'main.ts')
  const start = { ...deps.start, entry }
  const started = await startBeside({ ...deps, start }, { name: 'checkout', variables: {} })
  const sides = { off: started.sides.on, on: started.sides.off }
  const results: CheckoutResult[] = []
  for (const phase of phases) {
    const pools = await fillPools([sides.off.subject, sides.on.subject])
    const tokens = { off: pools.get(sides.off.subject) ?? [], on: pools.get(sides.on.subject) ?? [] }
    const { rounds } = await measureInTurn(deps, { sides, phase, name: 'checkout', tokens })
    results.push({ phase, rounds })
  }
  return results
}
