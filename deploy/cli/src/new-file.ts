import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { finished } from 'node:stream/promises'
import { CommandFailure, exitCodes } from './failure.ts'

/** A file that is being written. */
export type NewFile = {
  /** Resolves when there is room for more. @throws CommandFailure when the file cannot be written */
  write(text: string): Promise<void>
  close(): Promise<void>
}

/**
 * Creates a file that only its owner can read. An existing file stays: it may have secrets that exist nowhere else.
 * @throws CommandFailure when it cannot be created
 */
export async function createFile(path: string): Promise<NewFile> {
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
    async write(text) {
      check()
      // After an error, the next call or close() tells of it.
      if (!stream.write(text)) await once(stream, 'drain').catch(check)
    },
    async close() {
      stream.end()
      // Also when it failed before, and is closed already.
      await finished(stream).catch(check)
      check()
    },
  }
}
