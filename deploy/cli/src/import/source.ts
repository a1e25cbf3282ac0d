import { createReadStream } from 'node:fs'
import { CommandFailure, exitCodes } from '../failure.ts'
import type { Terminal } from '../terminal.ts'

/** The bytes of a file, piece by piece. */
export type Source = AsyncIterable<Buffer>

/**
 * Reads a file, or standard input for `-`.
 * @throws CommandFailure, while it is read, when it cannot be read
 */
export async function* openSource(file: string, { input }: Pick<Terminal, 'input'>): Source {
  try {
    for await (const piece of file === '-' ? input : createReadStream(file))
      yield typeof piece === 'string' ? Buffer.from(piece) : piece
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new CommandFailure(`${file} cannot be read (${code ?? message}).`, exitCodes.usage)
  }
}

/** In bytes: longer than a line of a usual file. */
const peeked = 65_536

/**
 * Reads the beginning of a source.
 * @returns the beginning, and a source that still begins with it; a caller that does not read that source must close it
 */
export async function peek(
  source: Source,
): Promise<{ beginning: string; whole: Source; close(): Promise<void> }> {
  const iterator = source[Symbol.asyncIterator]()
  const pieces: Buffer[] = []
  let length = 0
  while (length < peeked) {
    const { value, done } = await iterator.next()
    if (done) break
    pieces.push(value)
    length += value.length
  }
  async function* whole() {
    yield* pieces.splice(0)
    yield* { [Symbol.asyncIterator]: () => iterator }
  }
  return {
    beginning: Buffer.concat(pieces)
      .toString('utf8')
      .replace(/^\ufeff/, ''),
    whole: whole(),
    close: async () => void (await iterator.return?.(undefined)),
  }
}
