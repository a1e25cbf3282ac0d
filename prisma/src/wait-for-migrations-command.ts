import { setTimeout as sleep } from 'node:timers/promises'
import { requireDatabaseUrl } from './database-url.ts'
import { pendingMigrations } from './migrate.ts'

/** In milliseconds. A start that takes longer should fail visibly and be tried again. */
const patience = 10 * 60_000
const lookEvery = 1_000

/**
 * Says what the start is waiting for.
 * @returns undefined when the database has all of this release's migrations
 */
async function awaited(databaseUrl: string): Promise<string | undefined> {
  try {
    const silent = { info: () => undefined, warn: () => undefined }
    const pending = await pendingMigrations({ databaseUrl, log: silent })
    return pending.length > 0 ? `waiting for the migrations ${pending.join(', ')}` : undefined
  } catch (error) {
    return `waiting for the database: ${error instanceof Error ? error.message : error}`
  }
}

try {
  const databaseUrl = requireDatabaseUrl(process.env)
  const giveUpAt = Date.now() + patience
  let said: string | undefined
  for (;;) {
    const line = await awaited(databaseUrl)
    if (line === undefined) break
    if (line !== said) console.log(line)
    said = line
    if (Date.now() > giveUpAt) throw new Error('gave up after 10 minutes')
    await sleep(lookEvery)
  }
  console.log('the database has the tables of this release')
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
