import { join } from 'node:path'

/** The repository. */
export const rootDirectory = join(import.meta.dirname, '..', '..', '..')
