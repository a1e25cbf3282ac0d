import { requireDatabaseUrl, showDatabaseUrl } from './database-url.ts'
import { migrate } from './migrate.ts'

function write(fields: object, message: string): void {
  const details = Object.entries(fields).map(([name, value]) => `${name}=${value}`)
  console.log([message, ...details].join(' '))
}

try {
  const databaseUrl = requireDatabaseUrl(process.env)
  const applied = await migrate({ databaseUrl, log: { info: write, warn: write } })
  console.log(`${showDatabaseUrl(databaseUrl)}: up to date, ${applied.length} migration(s) applied now`)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
