import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const fileIn = (dataDirectory: string) => join(dataDirectory, 'database-url')

/**
 * Notes the address of the embedded database while it runs, so that commands on this machine find it. It has the password, so only the
 * owner can read it.
 * @returns removes the note
 */
export function noteDatabaseUrl(dataDirectory: string, url: string): () => void {
  const file = fileIn(dataDirectory)
  rmSync(file, { force: true })
  writeFileSync(file, `${url}\n`, { mode: 0o600 })
  return () => rmSync(file, { force: true })
}

/** The address of the embedded database that runs here, as noted. @returns undefined when none does */
export function notedDatabaseUrl(dataDirectory: string): string | undefined {
  try {
    return readFileSync(fileIn(dataDirectory), 'utf8').trim() || undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
