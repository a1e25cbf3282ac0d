import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { MachineFacts } from '../../../bench/src/measuring/machine.ts'
import { time } from '../checker/check.ts'
import type { Planted } from '../plants/planted.ts'
import { table } from './table.ts'

const begins = '<!-- planted defects -->'
const ends = '<!-- end of planted defects -->'
const none = [begins, '', 'No planted defect was tried yet: `npm run proof -- --plants`.', '', ends].join(
  '\n',
)

/** The results of plantAll. */
export type PlantedResults = { all: readonly Planted[]; date: Date; machine: MachineFacts; minutes: number }

/** The part of a page about planted defects, which stays when another run is written. */
export function plantedPartOf(file: string): string {
  const page = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const [, part] = page.split(begins)
  return part === undefined ? none : `${begins}${part.split(ends)[0]}${ends}`
}

/** Replaces that part. Writes nothing when there is no page yet. */
export function replacePlantedTable(file: string, results: PlantedResults): void {
  if (!existsSync(file)) {
    writeFileSync(file, `${renderPlanted(results)}\n`)
    return
  }
  writeFileSync(
    file,
    readFileSync(file, 'utf8').replace(plantedPartOf(file), () => renderPlanted(results)),
  )
}

function renderPlanted({ all, date, machine, minutes }: PlantedResults): string {
  return [
    begins,
    '',
    `On ${date.toISOString().slice(0, 10)}, revision ${machine.revision}${machine.changed ? ' with changes' : ''}, each in a run of ${minutes} minutes.`,
    'The time is that of the first answer that shows the defect, after the beginning of the run, whose first seconds create users and clients.',
    '',
    ...table([
      ['Defect', 'What is wrong', 'Must be found by', 'First shown at', 'Findings'],
      ...all.map(({ plant, findings, found }) => [
        plant.name,
        plant.what,
        plant.foundBy,
        found === undefined ? 'not found' : time(found).replace(/\.\d+$/, ''),
        String(findings),
      ]),
    ]),
    '',
    ends,
  ].join('\n')
}
