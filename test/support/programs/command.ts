import { styleText } from 'node:util'

/**
 * Runs a command for a person at a terminal, and sets the process's exit code: 0 after success, 1 after a failure, 130 after
 * a signal.
 * @param work does the work until the signal is aborted, and resolves to whether it succeeded
 * @param forPeople the errors of which only the message is shown
 */
export async function runCommand(
  work: (signal: AbortSignal) => Promise<boolean>,
  forPeople: new (...args: never[]) => Error,
): Promise<void> {
  // The reader of the output may stop early (`| head`); the results must still be written to the file.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

  const stopping = new AbortController()
  // The handler is gone at the second signal, which ends the process and its children at once.
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
