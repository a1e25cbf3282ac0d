import { styleText } from 'node:util'
import { SoakFailure } from './failure.ts'
import { readOptions, usage } from './options.ts'
import { runSoak } from './soak.ts'

for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

const stopping = new AbortController()
// The second signal finds no handler and ends the process at once; the children end with it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort())

try {
  const options = readOptions(process.argv.slice(2))
  if (options === 'help') process.stdout.write(usage)
  else process.exitCode = (await runSoak(options, stopping.signal)) ? 0 : 1
} catch (error) {
  if (stopping.signal.aborted) process.exitCode = 130
  else {
    const { name, message, stack } = error as Error
    const forPeople = error instanceof SoakFailure || ['StartFailure', 'ConfigurationError'].includes(name)
    process.stderr.write(
      `${styleText('red', forPeople ? message : (stack ?? message), { stream: process.stderr })}\n`,
    )
    process.exitCode = 1
  }
}
// Connections that are kept would keep this process.
setTimeout(() => process.exit(), 2_000).unref()
