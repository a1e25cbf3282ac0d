import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { SetupFailure } from './failure.ts'
import { type Plant, plants } from './plants/plants.ts'

/** The options of the command. */
export type Options = {
  minutes: number
  /** The same seed draws the same faults in the same order. */
  seed: number
  /** Keeps data and logs. */
  keep: boolean
  /** The file of the page; undefined when none is written. */
  page: string | undefined
  /** The defect to plant. */
  plant: Plant | undefined
  /** Plants every defect, one after the other. */
  plants: boolean
  /** A history to check instead of making one. */
  check: string | undefined
}

export const defaultPage = 'docs/evidence/proof.md'
/** A shorter run does not replace the page by itself, in minutes. */
const shortestForPage = 60
const defaultMinutes = 120

export const usage = `npm run proof -- [options]

  --minutes N    how long load and faults last (${defaultMinutes}; with a planted defect 2)
  --seed N       determines the faults; random by default
  --page FILE    writes the page into FILE; by default ${defaultPage}, if the run lasts an hour
  --keep         keeps data and logs, and prints their directory
  --check FILE   checks a history, such as that of the last run in .gatehouse/proof, and nothing else
  --plant NAME   plants a defect, which must be found; the command fails as it does for any finding
  --plants       plants each defect in turn, and fails if one is not found

Defects: ${plants.map(({ name }) => name).join(', ')}
`

/**
 * Reads the command line.
 * @throws SetupFailure for an invalid option
 */
export function readOptions(args: string[]): Options | 'help' {
  const values = parse(args)
  if (values.help) return 'help'
  const isPlanted = values.plant !== undefined || values.plants
  const minutes = Number(values.minutes ?? (isPlanted ? 2 : defaultMinutes))
  if (!(minutes > 0 && minutes <= 1_440)) {
    throw new SetupFailure(`--minutes must be a number above 0, at most 1440; it is "${values.minutes}"`)
  }
  const seed = values.seed === undefined ? randomInt(1, 2 ** 31) : Number(values.seed)
  if (!Number.isSafeInteger(seed) || seed < 1 || seed >= 2 ** 32) {
    throw new SetupFailure(`--seed must be a whole number from 1 to 4294967295; it is "${values.seed}"`)
  }
  const plant = plants.find(({ name }) => name === values.plant)
  if (values.plant !== undefined && !plant)
    throw new SetupFailure(
      `--plant must be one of the defects in npm run proof -- --help; it is "${values.plant}"`,
    )
  const page = values.page ?? (minutes >= shortestForPage || values.plants ? defaultPage : undefined)
  return {
    ...{ minutes, seed, plant, keep: values.keep, plants: values.plants, check: values.check },
    page: plant ? undefined : page,
  }
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        minutes: { type: 'string' },
        seed: { type: 'string' },
        keep: { type: 'boolean', default: false },
        page: { type: 'string' },
        check: { type: 'string' },
        plant: { type: 'string' },
        plants: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values
  } catch (error) {
    throw new SetupFailure(`${(error as Error).message.split('. ')[0]}; see npm run proof -- --help`)
  }
}
