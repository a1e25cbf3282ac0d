import { runCommand } from '@gatehouse/test/command'
import { SoakFailure } from './failure.ts'
import { readOptions, usage } from './options.ts'
import { runSoak } from './soak.ts'

await runCommand(async (signal) => {
  const options = readOptions(process.argv.slice(2))
  if (options !== 'help') return runSoak(options, signal)
  process.stdout.write(usage)
  return true
}, SoakFailure)
// Keep-alive connections would keep this process running.
setTimeout(() => process.exit(), 2_000).unref()
