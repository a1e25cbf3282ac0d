import { runCommand } from '@gatehouse/test/programs/command'
import { checkHistory } from './checker/history-check.ts'
import { SetupFailure } from './failure.ts'
import { readHistory } from './history/file.ts'
import { readOptions, usage } from './options.ts'
import { plantAll } from './plants/plant-all.ts'
import { prove } from './prove.ts'
import { passed, tellChecks } from './report/verdict.ts'

await runCommand(async (signal) => {
  const options = readOptions(process.argv.slice(2))
  const tell = (text: string) => process.stdout.write(`${text}\n`)
  if (options === 'help') {
    tell(usage)
    return true
  }
  const { check, plants } = options
  if (check !== undefined) {
    const checks = await checkHistory(() => readHistory(check))
    tellChecks(checks, tell)
    return passed(checks)
  }
  return plants
    ? plantAll(options, { signal, tell })
    : passed((await prove(options, { signal, tell })).checks)
}, SetupFailure)
// Keep-alive connections would keep this process running.
setTimeout(() => process.exit(), 2_000).unref()
