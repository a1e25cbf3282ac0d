import { setTimeout as sleep } from 'node:timers/promises'
import { ConfigurationError } from '@gatehouse/kit/config/configuration-error'
import { requireDatabaseUrl } from './database-url.ts'
import { pendingMigrations } from './migrate.ts'

/** In milliseconds. A start that takes longer should fail visibly and be tried again. */
const patience = 10 * 60_000
const lookEvery = 1_000

/** The reason for waiting: a line for the log, and a text that stays equal while migrations are applied one by one. */
type Wait = { line: string; reason: string }

/**
 * Looks for the reason why the start has to wait.
 * @returns undefined when the database has all of this release's migrations
 * @throws ConfigurationError when no waiting helps
 */
async function findWait(databaseUrl: string): Promise<Wait | undefined> {
  try {
    const silent = { info: () => undefined, warn: () => undefined }
    const pending = await pendingMigrations({ databaseUrl, log: silent })
    if (pending.length === 0) return undefined
    return { line: `waiting for the migrations ${pending.join(', ')}`, reason: 'migrations' }
  } catch (error) {
    if (error instanceof ConfigurationError) throw error
    const line = `waiting for the database: ${error instanceof Error ? error.message : error}`
    return { line, reason: line }
  }
}

try {
  const databaseUrl = requireDatabaseUrl(process.env)
  const giveUpAt = Date.now() + patience
  let said: string | undefined
  for (;;) {
    const wait = await findWait(databaseUrl)
    if (wait === undefined) break
    if (wait.reason !== said) console.log(wait.line)
    said = wait.reason
    if (Date.now() > giveUpAt) throw new Error('gave up after 10 minutes')
    await sleep(lookEvery)
  }
  console.log('the database has the tables of this release')
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
