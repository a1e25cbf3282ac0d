import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The repository. */
export const rootDirectory = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..')

/**
 * Node.js stores compiled code here, which makes a start a quarter faster. It is not in the data directory, because writing
 * it takes a while, and once per checkout is enough. If Node.js cannot write it, it works without it.
 */
export const compileCache = join(rootDirectory, 'node_modules', '.cache', 'gatehouse')

/** The data directory of an environment: GATEHOUSE_DATA_DIR, or .gatehouse in the repository. */
export function dataDirectoryOf(environment: { GATEHOUSE_DATA_DIR?: string | undefined }): string {
  return resolve(environment.GATEHOUSE_DATA_DIR || join(rootDirectory, '.gatehouse'))
}
