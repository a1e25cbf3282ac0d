import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { ProofFailure } from './failure.ts'
import { plants } from './plants.ts'

/** The options of a run. */
export type Options = {
  minutes: number
  /** The same seed draws the same faults in the same order. */
  seed: number
  /** Keeps data and logs. */
  keep: boolean
  /** The file of the report, instead of docs/proof.md. */
  out: string | undefined
  /** The name of a fault that is planted. */
  plant: string | undefined
  /** Plants all faults, one after the other. */
  plants: boolean
  /** Only checks the history in this file. */
  check: string | undefined
  /** A run of less than two minutes: shorter pauses, and memory is not judged. */
  quick: boolean
}

export const usage = `npm run proof -- [options]

  --minutes N    how long load and faults last (120; with planted faults 0.75)
  --seed N       determines the faults; random by default
  --plant NAME   puts a fault into the system, which must be found: ${Object.keys(plants).join(', ')}
  --plants       puts in each of them, one after the other
  --check FILE   only checks a history that was kept
  --keep         keeps data and logs, and prints their directory
  --out FILE     the file of the report (docs/proof.md)
`

/**
 * Reads the command line.
 * @throws ProofFailure for an invalid option
 */
export function readOptions(args: string[]): Options | 'help' {
  const values = parse(args)
  if (values.help) return 'help'
  const { plant } = values
  if (plant !== undefined && !Object.hasOwn(plants, plant)) {
    throw new ProofFailure(`--plant must be one of ${Object.keys(plants).join(', ')}; it is "${plant}"`)
  }
  const planting = plant !== undefined || values.plants
  const minutes = Number(values.minutes ?? (planting ? 0.75 : 120))
  if (!(minutes > 0 && minutes <= 1_440)) {
    throw new ProofFailure(`--minutes must be a number above 0, at most 1440; it is "${values.minutes}"`)
  }
  const seed = values.seed === undefined ? randomInt(1, 2 ** 31) : Number(values.seed)
  if (!Number.isSafeInteger(seed) || seed < 1 || seed >= 2 ** 32) {
    throw new ProofFailure(`--seed must be a whole number from 1 to 4294967295; it is "${values.seed}"`)
  }
  const { keep, out, check } = values
  return { minutes, seed, keep, out, plant, plants: values.plants, check, quick: minutes < 2 }
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        minutes: { type: 'string' },
        seed: { type: 'string' },
        keep: { type: 'boolean', default: false },
        out: { type: 'string' },
        plant: { type: 'string' },
        plants: { type: 'boolean', default: false },
        check: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    }).values
  } catch (error) {
    throw new ProofFailure(`${(error as Error).message.split('. ')[0]}; see npm run proof -- --help`)
  }
}
