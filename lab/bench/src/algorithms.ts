import { type BesideDeps, type BesideRound, runBeside } from './beside/beside.ts'

/** The measurements of an algorithm in all rounds. */
export type AlgorithmResult = { algorithm: string; rounds: BesideRound[] }

/**
 * Measures what signing access tokens with other algorithms costs: for each, a second system that signs with it issues tokens
 * in turn with the first, which signs with HS256.
 * @throws BenchFailure when an answer was wrong
 */
export async function runAlgorithmRounds(
  deps: BesideDeps,
  algorithms: readonly string[],
): Promise<AlgorithmResult[]> {
  const results: AlgorithmResult[] = []
  for (const algorithm of algorithms) {
    const variables = { OAUTH2_ACCESS_TOKEN_ALGORITHM: algorithm }
    results.push({ algorithm, rounds: (await runBeside(deps, { name: algorithm, variables })).rounds })
  }
  return results
}
