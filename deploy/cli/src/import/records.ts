import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { Tokenizer, TokenParser } from '@streamparser/json'
import { CommandFailure } from '../failure.ts'
import type { Source } from './source.ts'

/** One entry of a file: its value as JSON, or that it is none. */
export type FileRecord = {
  /** The line in the file, or of a list in JSON, the number of the entry; from 1. */
  line: number
} & (
  | {
      value: unknown
      /** Which realm of the file has it; from 0. */
      realm?: number
    }
  | { fault: string }
)

/** A value of a document, and where it is: its key and those of what it is in, from the outside. */
type Placed = { value: unknown; keys: readonly (string | number)[] }

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
  let line = 0
  for await (const { value } of valuesOfDocument(source, paths)) {
    line += 1
    yield { line, value }
  }
}

/** A token of a document, as the tokenizer gives it. */
export type DocumentToken = Parameters<Tokenizer['onToken']>[0]

/**
 * The values at some paths of a JSON document, one by one, with their places.
 * @param watch sees each token of the document
 * @throws CommandFailure when the document is malformed; the values before that come first
 */
export async function* valuesOfDocument(
  source: Source,
  paths: string[],
  watch: (token: DocumentToken) => void = () => undefined,
): AsyncGenerator<Placed> {
  const found: Placed[] = []
  const tokenizer = new Tokenizer()
  const parser = new TokenParser({ paths, keepStack: false })
  tokenizer.onToken = (token) => {
    watch(token)
    parser.write(token)
  }
  parser.onValue = ({ value, key, stack }) => {
    const keys = [...stack.map((level) => level.key), key].filter((one) => one !== undefined)
    found.push({ value, keys })
  }
  let count = 0
  for await (const piece of source) {
    const isJson = succeeds(() => tokenizer.write(piece))
    for (const value of found.splice(0)) {
      count += 1
      yield value
    }
    if (!isJson) throw malformed(count)
  }
  if (!parser.isEnded) throw malformed(count)
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
