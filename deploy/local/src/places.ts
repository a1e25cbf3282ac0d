import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The repository. */
export const rootDirectory = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..')

/**
 * Node.js keeps there what it made of the sources, which takes a quarter off a start. Not in the data directory: to
 * write it takes a while, and once per checkout is often enough. Where it cannot be written, Node.js goes without.
 */
export const compileCache = join(rootDirectory, 'node_modules', '.cache', 'gatehouse')
