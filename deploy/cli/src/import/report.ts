import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { finished } from 'node:stream/promises'
import { CommandFailure, exitCodes } from '../failure.ts'

/** A file with one line for each entry of an import. */
export type Report = {
  /** Resolves when there is room for more. */
  write(entry: object): Promise<void>
  close(): Promise<void>
}

/**
 * Creates a report that only its owner can read. An existing file stays: it may have secrets that exist nowhere else.
 * @throws CommandFailure when it cannot be created
 */
export async function openReport(path: string): Promise<Report> {
  const stream = createWriteStream(path, { flags: 'wx', mode: 0o600 })
  try {
    await once(stream, 'open')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const reason =
      code === 'EEXIST' ? 'exists already: name another file' : `cannot be written (${code ?? message})`
    throw new CommandFailure(`${path} ${reason}.`, exitCodes.usage)
  }
  let failure: Error | undefined
  stream.on('error', (error) => {
    failure = error
  })
  const check = () => {
    if (failure) throw new CommandFailure(`${path} cannot be written (${failure.message}).`)
  }
  return {
    async write(entry) {
      check()
      // After an error, the next call or close() tells of it.
      if (!stream.write(`${JSON.stringify(entry)}\n`)) await once(stream, 'drain').catch(check)
    },
    async close() {
      stream.end()
      // Also when it failed before, and is closed already.
      await finished(stream).catch(check)
      check()
    },
  }
}
