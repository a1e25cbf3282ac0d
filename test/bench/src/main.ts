import { styleText } from 'node:util'
import { runBench } from './bench.ts'
import { BenchFailure } from './failure.ts'
import { readOptions, usage } from './options.ts'

// Whoever reads along may leave early (`| head`); the results are written down all the same.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

const stopping = new AbortController()
// The second signal finds no handler and ends the process at once; the children end with it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort())

try {
  const options = readOptions(process.argv.slice(2))
  if (options === 'help') process.stdout.write(usage)
  else process.exitCode = (await runBench(options, stopping.signal)) ? 0 : 1
} catch (error) {
  if (stopping.signal.aborted) process.exitCode = 130
  else {
    const { name, message, stack } = error as Error
    const forPeople = error instanceof BenchFailure || ['StartFailure', 'ConfigurationError'].includes(name)
    const text = forPeople ? message : (stack ?? message)
    process.stderr.write(`${styleText('red', text, { stream: process.stderr })}\n`)
    process.exitCode = 1
  }
}
