import type { Terminal } from '../terminal.ts'
import type { Prepared } from './prepared.ts'
import type { FileRecord } from './records.ts'
import { openSource, peek, type Source } from './source.ts'

/** An entry of a file, and where it is. The file is named only if there are several. */
export type Entry<Item> = { place: { file?: string; line: number }; prepared: Prepared<Item> }

/** How a file is read. */
export type Reading<Item> = {
  records(source: Source): AsyncIterable<FileRecord>
  /** Turns a value of the file into an item for the API. */
  prepare(value: unknown): Prepared<Item>
}

/**
 * The entries of files, one file after the other.
 * @param readingOf chooses by the beginning of a file how it is read
 * @throws CommandFailure, while they are read, when a file cannot be read
 */
export async function* entriesOf<Item>(
  files: readonly string[],
  readingOf: (beginning: string) => Reading<Item>,
  terminal: Pick<Terminal, 'input'>,
): AsyncGenerator<Entry<Item>> {
  for (const file of files) {
    const { beginning, whole } = await peek(openSource(file, terminal))
    const { records, prepare } = readingOf(beginning)
    for await (const record of records(whole)) {
      const place = { ...(files.length > 1 && { file }), line: record.line }
      const prepared: Prepared<Item> =
        'fault' in record ? { name: '', outcome: 'invalid', reason: record.fault } : prepare(record.value)
      yield { place, prepared }
    }
  }
}
