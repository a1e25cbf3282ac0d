import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { run } from './run.ts'

/** A program and its arguments. */
export type Step = readonly [path: string, argv: readonly string[]]

/**
 * Fills a directory of the cache with the results of programs, once: when all of them have succeeded, it is there.
 * @param name the name of the results, for people
 * @param directory where it shall be
 * @param stepsIn returns the programs that put their results into a given directory; undefined when one of them is missing, which
 *   `program` has said
 * @returns whether it is there now; if it is not, a line says why, and that its tests are skipped
 * @throws Error when it cannot be built and nothing may be skipped (GATEHOUSE_TEST_FORBID_SKIP)
 */
export async function buildInCache(
  name: string,
  directory: string,
  stepsIn: (directory: string) => Promise<readonly Step[] | undefined>,
): Promise<boolean> {
  if (existsSync(directory)) return true
  const draft = `${directory}.${process.pid}`
  const steps = await stepsIn(draft)
  if (steps === undefined) return false
  console.log(`Building ${name} for the tests.`)
  mkdirSync(draft, { recursive: true })
  try {
    for (const [path, argv] of steps) {
      const { ok, stdout, stderr } = await run(path, [...argv])
      if (ok) continue
      const line = `Building ${name} failed: ${(stdout.trim() || stderr.trim()).split('\n')[0]}`
      if (process.env.GATEHOUSE_TEST_FORBID_SKIP) throw new Error(line)
      console.log(`${line}: its tests are skipped.`)
      return false
    }
    if (!existsSync(directory)) renameSync(draft, directory)
    return true
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}
