import { accessSync, constants, existsSync, mkdirSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { StartFailure } from './failure.ts'

/**
 * Creates the data directory unless it exists. Other users may pass through it but not list it, because a launcher that
 * runs as root runs PostgreSQL in it as another user.
 * @returns its real path
 * @throws StartFailure when it cannot be used
 */
export function openDataDirectory(path: string): string {
  try {
    makeDirectory(join(path, 'logs'))
    for (const directory of [path, join(path, 'logs')]) accessSync(directory, constants.W_OK | constants.X_OK)
    return realpathSync(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new StartFailure(
      `The data directory ${path} cannot be used (${code}): set GATEHOUSE_DATA_DIR to another`,
    )
  }
}

/** Not with `recursive: true`, which never ends in a directory that can be entered but not written to, such as /proc. */
function makeDirectory(path: string): void {
  if (existsSync(path)) return
  makeDirectory(dirname(path))
  try {
    mkdirSync(path, { mode: 0o711 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
