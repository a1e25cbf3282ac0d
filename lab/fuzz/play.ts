import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc, { type RunDetails } from 'fast-check'
import { must, type Target } from './target.ts'

/** How much CPU time a function may take for an input of at most 64 KiB, in milliseconds. On a busy machine, time itself says little. */
const longestCheck = 50

/** How often a slow check is repeated: memory may have been cleaned up meanwhile. The least counts. */
const repetitions = 5

/** Checks an input, also that it takes no longer than it may. @throws the error of the target */
async function checkInTime(target: Target, input: unknown): Promise<void> {
  let least = Number.POSITIVE_INFINITY
  for (let time = 0; time < repetitions && least > longestCheck; time += 1) {
    const before = process.threadCpuUsage()
    await target.check(input)
    const { user, system } = process.threadCpuUsage(before)
    least = Math.min(least, (user + system) / 1000)
  }
  must(least <= longestCheck, `it takes ${least.toFixed(0)} ms of CPU time`)
}

/** How long and with which inputs a target is played. */
export type Play = { seed: number } & ({ runs: number } | { milliseconds: number })

/** Checks a target with random inputs. The inputs that were found before come first. */
export async function play(target: Target, options: Play): Promise<RunDetails<[unknown]>> {
  const property = fc.asyncProperty(target.inputs, (input) => checkInTime(target, input))
  const limits =
    'runs' in options
      ? { numRuns: options.runs }
      : {
          numRuns: Number.MAX_SAFE_INTEGER,
          interruptAfterTimeLimit: options.milliseconds,
          markInterruptAsFailure: false,
        }
  const examples = (await corpusOf(target.name)).map((input): [unknown] => [input])
  return fc.check(property, { seed: options.seed, examples, ...limits })
}

const corpus = join(import.meta.dirname, 'corpus.json')

/** The inputs of a target that once found something. */
async function corpusOf(name: string): Promise<unknown[]> {
  const found: Readonly<Record<string, unknown[]>> = JSON.parse(await readFile(corpus, 'utf8'))
  return found[name] ?? []
}
