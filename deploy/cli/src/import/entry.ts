import type { Terminal } from '../terminal.ts'
import type { Prepared } from './prepared.ts'
import type { FileRecord } from './records.ts'
import { openSource, peek, type Source } from './source.ts'

/** An entry of a file, and where it is. The file is named only if there are several. */
export type Entry<Item> =
  | { place: Place; prepared: Prepared<Item> }
  /** A sentence about a file, or about all. */
  | { note: string }

/** Where an entry is, and what else the report says of it besides its name. */
export type Place = { file?: string; line: number } & Readonly<Record<string, unknown>>

/** How a file is read. */
export type Reading<Item> = {
  records(source: Source): AsyncIterable<FileRecord>
  /**
   * Turns a value of the file into an item for the API.
   * @param realm which realm of the file has it
   * @returns undefined for a value that is not wanted
   */
  prepare(value: unknown, realm?: number): Prepared<Item> | undefined
}

/** Remarks on the files as a whole. */
export type About = { notes: readonly string[]; fault: string | undefined }

/**
 * The entries of files, one file after the other.
 * @param readingOf chooses by the beginning of a file how it is read
 * @throws CommandFailure, while they are read, when a file cannot be read
 */
export async function* entriesOf<Item>(
  files: readonly string[],
  readingOf: (beginning: string, file: string) => Reading<Item>,
  terminal: Pick<Terminal, 'input'>,
  about: About = { notes: [], fault: undefined },
): AsyncGenerator<Entry<Item>> {
  for (const note of about.notes) yield { note }
  for (const file of files) {
    const { beginning, whole } = await peek(openSource(file, terminal))
    const { records, prepare } = readingOf(beginning, file)
    for await (const record of records(whole)) {
      const place = { ...(files.length > 1 && { file }), line: record.line }
      const prepared: Prepared<Item> | undefined =
        'fault' in record
          ? { name: '', outcome: 'invalid', reason: record.fault }
          : isDeep(record.value)
            ? { name: '', outcome: 'invalid', reason: 'It is nested too deeply.' }
            : prepare(record.value, record.realm)
      if (prepared !== undefined) yield { place, prepared }
    }
  }
  if (about.fault !== undefined)
    yield { place: { line: 0 }, prepared: { name: '', outcome: 'invalid', reason: about.fault } }
}

/** How many objects and lists may be in each other: more would exhaust the stack of the code that writes them. */
const mostLevels = 64

/** Whether objects and lists are in each other too deeply. */
export function isDeep(value: unknown): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; depth <= mostLevels; depth += 1) {
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []))
    if (level.length === 0) return false
  }
  return true
}
