import { runCommand } from '@gatehouse/test/command'
import { ProofFailure } from './failure.ts'
import { checkHistory, sizesOf } from './history/check.ts'
import { readHistory } from './history/record.ts'
import { type Options, readOptions, usage } from './options.ts'
import { findPlant, readPlanted, writePlanted } from './planting.ts'
import { plants } from './plants.ts'
import { type Results, runProof } from './proof.ts'
import { passed, writeReport } from './report.ts'

const tell = (text: string) => process.stdout.write(`${text}\n`)

await runCommand(async (signal) => {
  const options = readOptions(process.argv.slice(2))
  if (options === 'help') {
    process.stdout.write(usage)
    return true
  }
  if (options.check !== undefined) return checkFile(options.check)
  if (options.plants) return plantAll(options, signal)
  const results = await runProof(options, signal, tell)
  tellChecks(results)
  if (options.plant === undefined)
    tell(`the report is in ${writeReport(results, readPlanted(), options.out)}`)
  return passed(results.checks)
}, ProofFailure)
// Keep-alive connections would keep this process running.
setTimeout(() => process.exit(), 2_000).unref()

function tellChecks({ checks }: Results): void {
  for (const { name, checked, failures } of checks) {
    tell(`${failures.length === 0 ? 'good ' : 'WRONG'}  ${name} (${checked})`)
    for (const failure of failures.slice(0, 10)) tell(`       ${failure}`)
  }
}

/** Checks a history that was kept. */
function checkFile(file: string): boolean {
  const history = readHistory(file)
  const findings = checkHistory(history)
  for (const [what, count] of Object.entries(sizesOf(history))) tell(`${what}: ${count}`)
  for (const { rule, text } of findings) tell(`WRONG  ${rule}: ${text}`)
  if (findings.length === 0) tell('nothing is wrong')
  return findings.length === 0
}

/** Plants each fault in turn. @returns whether all were found */
async function plantAll(options: Options, signal: AbortSignal): Promise<boolean> {
  const all = []
  for (const name of Object.keys(plants)) {
    const planted = await findPlant(name, options, signal, tell)
    all.push(planted)
    tell(planted.found ? `found after ${planted.seconds} s: ${name}` : `NOT FOUND: ${name}`)
  }
  writePlanted(all)
  return all.every(({ found }) => found)
}
