import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { JSONParser } from '@streamparser/json'
import { CommandFailure } from '../failure.ts'
import type { Source } from './source.ts'

/** One entry of a file: its value as JSON, or that it is none. */
export type FileRecord = {
  /** The line in the file, or of a list in JSON, the number of the entry; from 1. */
  line: number
} & ({ value: unknown } | { fault: string })

/** The lines of a file that has one JSON value a line (NDJSON). Empty lines are left out. */
export async function* recordsOfLines(source: Source): AsyncGenerator<FileRecord> {
  let line = 0
  const lines = createInterface({ input: Readable.from(source), crlfDelay: Number.POSITIVE_INFINITY })
  for await (const text of lines) {
    line += 1
    const json = line === 1 ? text.replace(/^\ufeff/, '') : text
    if (json.trim() !== '') yield { line, ...parsed(json) }
  }
}

function parsed(text: string): { value: unknown } | { fault: string } {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return { fault: 'The line is not JSON.' }
  }
}

/**
 * The elements of lists in a JSON document, one by one: it may be larger than the memory.
 * @param paths where the elements are, as `$.users.*`
 * @throws CommandFailure when the document is malformed; the elements before that come first
 */
export async function* recordsOfDocument(source: Source, ...paths: string[]): AsyncGenerator<FileRecord> {
  const found: unknown[] = []
  const parser = new JSONParser({ paths, keepStack: false })
  parser.onValue = ({ value }) => void found.push(value)
  let line = 0
  const next = (value: unknown): FileRecord => {
    line += 1
    return { line, value }
  }
  for await (const piece of source) {
    const isJson = succeeds(() => parser.write(piece))
    for (const value of found.splice(0)) yield next(value)
    if (!isJson) throw malformed(line)
  }
  if (!parser.isEnded) throw malformed(line)
}

/** The parser's own message would quote the file, which has secrets. */
function malformed(count: number): CommandFailure {
  return new CommandFailure(`The file is not JSON, or incomplete: it can be read up to entry ${count}.`)
}

function succeeds(work: () => void): boolean {
  try {
    work()
    return true
  } catch {
    return false
  }
}
