import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

/** A migration on disk. */
export interface MigrationFile {
  /** The folder's name, `<time>_<name>`; names sort by time. */
  name: string
  sql: string
  /** SHA-256 of the file, in hex, as Prisma stores it. */
  checksum: string
}

export const migrationsDirectory = fileURLToPath(new URL('../migrations', import.meta.url))

/**
 * Reads all migrations of a directory, oldest first.
 * @throws Error when the directory cannot be read or a folder in it has no migration.sql
 */
export async function readMigrations(directory: string): Promise<MigrationFile[]> {
  const entries = await readdir(directory, { withFileTypes: true })
  const names = entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
  return Promise.all(
    names.map(async (name) => {
      const content = await readFile(`${directory}/${name}/migration.sql`)
      return {
        name,
        sql: content.toString('utf8'),
        checksum: createHash('sha256').update(content).digest('hex'),
      }
    }),
  )
}
