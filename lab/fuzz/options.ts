import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { targets } from './table.ts'

/** A command that cannot be carried out, in a line for people. */
export class FuzzFailure extends Error {}

/** The options of a run. */
export type Options = { minutes: number; seed: number; names: readonly string[] }

/** The command's help. */
export const usage = `npm run fuzz -- [options]

  --minutes N   how long, for all targets together (10)
  --only NAME   one target
  --seed N      determines the inputs; random by default
`

/**
 * Reads the command line.
 * @throws FuzzFailure for an invalid option
 */
export function readOptions(args: string[]): Options | 'help' {
  const values = parse(args)
  if (values.help) return 'help'
  const [minutes, seed] = [Number(values.minutes), Number(values.seed ?? randomInt(1, 2 ** 31))]
  if (!(minutes > 0 && minutes <= 1_440))
    throw new FuzzFailure(`--minutes must be a number above 0, at most 1440; it is "${values.minutes}"`)
  if (!Number.isSafeInteger(seed) || seed < 1 || seed >= 2 ** 31)
    throw new FuzzFailure(`--seed must be a whole number from 1 to 2147483647; it is "${values.seed}"`)
  const known = targets.map(({ name }) => name)
  if (values.only !== undefined && !known.includes(values.only))
    throw new FuzzFailure(`--only must be one of ${known.join(', ')}; it is "${values.only}"`)
  return { minutes, seed, names: values.only === undefined ? known : [values.only] }
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        minutes: { type: 'string', default: '10' },
        only: { type: 'string' },
        seed: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    }).values
  } catch (error) {
    throw new FuzzFailure(`${(error as Error).message.split('. ')[0]}; see npm run fuzz -- --help`)
  }
}
