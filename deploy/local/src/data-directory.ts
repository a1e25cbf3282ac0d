import { mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { StartFailure } from './failure.ts'

/**
 * Makes the data directory unless it is there. Others may pass through it but see nothing: as root, PostgreSQL runs
 * as another user inside.
 * @returns its real path
 * @throws StartFailure when it cannot be used
 */
export function openDataDirectory(path: string): string {
  try {
    mkdirSync(join(path, 'logs'), { recursive: true, mode: 0o711 })
    return realpathSync(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new StartFailure(
      `The data directory ${path} cannot be used (${code}): set GATEHOUSE_DATA_DIR to another`,
    )
  }
}
