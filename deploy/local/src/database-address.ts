import { closeSync, fstatSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { StartFailure } from './failure.ts'
import { refuseOthersFile } from './owner.ts'

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

/**
 * The address of the embedded database that runs here, as noted.
 * @param user the id of the user of this process
 * @returns undefined when none does
 * @throws StartFailure, in a line, for a note of another user of the machine, or one that cannot be read
 */
export function notedDatabaseUrl(dataDirectory: string, user = process.getuid?.()): string | undefined {
  const file = fileIn(dataDirectory)
  let note: number | undefined
  try {
    note = openSync(file, 'r')
    refuseOthersFile(file, fstatSync(note), user)
    return readFileSync(note, 'utf8').trim() || undefined
  } catch (error) {
    if (error instanceof StartFailure) throw error
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw new StartFailure(
      `${file} cannot be read (${code}): be the user who runs npm start, or set OAUTH2_DATABASE_URL`,
    )
  } finally {
    if (note !== undefined) closeSync(note)
  }
}
