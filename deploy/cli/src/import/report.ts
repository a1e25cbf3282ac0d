import { createFile } from '../new-file.ts'

/** A file with one line for each entry of an import. */
export type Report = {
  /** Resolves when there is room for more. */
  write(entry: object): Promise<void>
  close(): Promise<void>
}

/**
 * Creates a report that only its owner can read.
 * @throws CommandFailure when it cannot be created, or exists already
 */
export async function openReport(path: string): Promise<Report> {
  const { write, close } = await createFile(path)
  return { write: (entry) => write(`${JSON.stringify(entry)}\n`), close }
}
