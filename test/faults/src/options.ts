import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { SoakFailure } from './failure.ts'

/** The options of a soak. */
export type Options = {
  minutes: number
  /** The same seed draws the same faults in the same order. */
  seed: number
  /** Keeps data and logs. */
  keep: boolean
  /** The file of the report, instead of test/faults/results/DATE.md. */
  out: string | undefined
}

export const usage = `npm run soak -- [options]

  --minutes N   how long load and faults last (30)
  --seed N      determines the faults; random by default
  --keep        keeps data and logs, and prints their directory
  --out FILE    the file of the report (test/faults/results/DATE.md)
`

/**
 * Reads the command line.
 * @throws SoakFailure for an invalid option
 */
export function readOptions(args: string[]): Options | 'help' {
  const values = parse(args)
  if (values.help) return 'help'
  const minutes = Number(values.minutes)
  if (!(minutes > 0 && minutes <= 1_440)) {
    throw new SoakFailure(`--minutes must be a number above 0, at most 1440; it is "${values.minutes}"`)
  }
  const seed = values.seed === undefined ? randomInt(1, 2 ** 31) : Number(values.seed)
  if (!Number.isSafeInteger(seed) || seed < 1 || seed >= 2 ** 32) {
    throw new SoakFailure(`--seed must be a whole number from 1 to 4294967295; it is "${values.seed}"`)
  }
  return { minutes, seed, keep: values.keep, out: values.out }
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        minutes: { type: 'string', default: '30' },
        seed: { type: 'string' },
        keep: { type: 'boolean', default: false },
        out: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    }).values
  } catch (error) {
    throw new SoakFailure(`${(error as Error).message.split('. ')[0]}; see npm run soak -- --help`)
  }
}
