import { createReadStream, createWriteStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { finished } from 'node:stream/promises'
import type { Line } from './lines.ts'

/** A history that is being written. */
export type HistoryWriter = {
  write(line: Line): void
  /** Resolves when everything is in the file. @throws the error that prevented this */
  close(): Promise<void>
}

/** Begins a history: a file with one line of JSON for each operation, fault and observation. */
export function writeHistory(file: string): HistoryWriter {
  const stream = createWriteStream(file, { mode: 0o600 })
  const done = finished(stream)
  // Reported by `close`.
  done.catch(() => undefined)
  return {
    write: (line) => void stream.write(`${JSON.stringify(line)}\n`),
    close() {
      stream.end()
      return done
    },
  }
}

/** Reads a history, line by line. @throws SyntaxError for a line that is not JSON, such as one that was cut off */
export async function* readHistory(file: string): AsyncGenerator<Line> {
  for await (const line of createInterface({ input: createReadStream(file) })) {
    if (line !== '') yield JSON.parse(line) as Line
  }
}
