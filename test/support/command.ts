import { styleText } from 'node:util'

/**
 * Runs a command of a person at a terminal to its end, and sets the process's exit code: 0 where all was well, 1 where it
 * was not, 130 where a signal ended it.
 * @param work does it, until the signal is aborted; resolves to whether all was well
 * @param forPeople the errors of which the message is all that is shown
 */
export async function runCommand(
  work: (signal: AbortSignal) => Promise<boolean>,
  forPeople: new (...args: never[]) => Error,
): Promise<void> {
  // The reader of the output may stop early (`| head`); the results are written to the file all the same.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

  const stopping = new AbortController()
  // The second signal finds no handler and ends the process at once; the children end with it.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort())

  try {
    process.exitCode = (await work(stopping.signal)) ? 0 : 1
  } catch (error) {
    if (stopping.signal.aborted) process.exitCode = 130
    else {
      const { name, message, stack } = error as Error
      const isForPeople = error instanceof forPeople || ['StartFailure', 'ConfigurationError'].includes(name)
      const text = isForPeople ? message : (stack ?? message)
      process.stderr.write(`${styleText('red', text, { stream: process.stderr })}\n`)
      process.exitCode = 1
    }
  }
}
