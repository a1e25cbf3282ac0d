import { machineFacts } from '../../../bench/src/measuring/machine.ts'
import { time } from '../checker/check.ts'
import type { Options } from '../options.ts'
import { prove } from '../prove.ts'
import { replacePlantedTable } from '../report/planted-table.ts'
import { type Planted, plantedOf } from './planted.ts'
import { plants } from './plants.ts'

/** Plants each defect in a system of its own. @returns whether every one was found */
export async function plantAll(
  options: Options,
  io: { signal: AbortSignal; tell: (line: string) => void },
): Promise<boolean> {
  const all: Planted[] = []
  const machine = machineFacts()
  for (const plant of plants) {
    const { checks } = await prove({ ...options, plant, page: undefined }, io)
    all.push(plantedOf(plant, checks))
  }
  for (const { plant, findings, found } of all)
    io.tell(
      `${found === undefined ? 'NOT FOUND' : `found at ${time(found)}`}  ${plant.name} (${findings} findings): ${plant.foundBy}`,
    )
  if (options.page !== undefined)
    replacePlantedTable(options.page, { all, date: new Date(), machine, minutes: options.minutes })
  return all.every(({ found }) => found !== undefined)
}
