import { homedir } from 'node:os'
import { join } from 'node:path'

/**
 * Where tests keep what they build or download once: outside of the checkout, so that the next clone can use it. Each entry
 * has its version in its name.
 */
export const programCache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'gatehouse-test')
