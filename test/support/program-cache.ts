import { homedir } from 'node:os'
import { join } from 'node:path'

/**
 * Where tests keep what they build or fetch once: outside of the checkout, so that the next clone has it already. What is in
 * it has its version in its name.
 */
export const programCache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'gatehouse-test')
