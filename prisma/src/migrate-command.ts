import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { isDatabaseUnavailable } from './database-errors.ts'
import { type MigrationTarget, migrationTarget, showDatabaseUrl } from './database-url.ts'
import { migrate } from './migrate.ts'

/** How long `--wait` waits for the database, in milliseconds. */
const patience = 10 * 60_000
const tryEvery = 1_000

function write(fields: object, message: string): void {
  const details = Object.entries(fields).map(([name, value]) => `${name}=${value}`)
  console.log([message, ...details].join(' '))
}

/** Migrates once the database can be reached, and says what it waits for. */
async function migrateWhenThere(target: MigrationTarget): Promise<string[]> {
  const end = Date.now() + patience
  let said = ''
  for (;;) {
    try {
      return await migrate({ ...target, log: { info: write, warn: write } })
    } catch (error) {
      if (!isDatabaseUnavailable(error) || Date.now() > end) throw error
      const { message } = error as Error
      if (message !== said) console.log(`waiting for the database: ${message}`)
      said = message
      await sleep(tryEvery)
    }
  }
}

try {
  const { values } = parseArgs({ options: { wait: { type: 'boolean', default: false } } })
  const target = migrationTarget(process.env)
  const applied = values.wait
    ? await migrateWhenThere(target)
    : await migrate({ ...target, log: { info: write, warn: write } })
  console.log(
    `${showDatabaseUrl(target.databaseUrl)}: up to date, ${applied.length} migration(s) applied now`,
  )
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
