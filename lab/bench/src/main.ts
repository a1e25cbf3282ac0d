import { runCommand } from '@gatehouse/test/programs/command'
import { runComparison } from './against/run.ts'
import { runBench } from './bench.ts'
import { BenchFailure } from './failure.ts'
import { readOptions, usage } from './options.ts'

await runCommand(async (signal) => {
  const options = readOptions(process.argv.slice(2))
  if (options !== 'help')
    return options.against.length > 0 ? runComparison(options, signal) : runBench(options, signal)
  process.stdout.write(usage)
  return true
}, BenchFailure)
