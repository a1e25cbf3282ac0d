import type { Command } from 'commander'
import { dataOf } from '../api.ts'
import type { CommandDeps } from '../command.ts'
import { CommandFailure, exitCodes } from '../failure.ts'
import { type Columns, table } from '../output.ts'
import type { Terminal } from '../terminal.ts'

/** gatehouse status, gatehouse migrate */
export function systemCommands(
  program: Command,
  { environment, perform, show, terminal }: CommandDeps,
): void {
  program
    .command('status')
    .description('how every process is; fails when one is not well')
    .action(async () => {
      let healthy = true
      await perform(async (api) => {
        const status = await dataOf(api.GET('/admin/api/status'))
        healthy = status.services.every((service) => service.healthy)
        const rows = status.services.flatMap(({ service, replicas }) =>
          replicas.map((replica) => ({ service, ...replica })),
        )
        const columns: Columns<(typeof rows)[number]> = {
          service: 'service',
          replica: (row) => row.instance ?? row.address,
          release: 'version',
          healthy: 'healthy',
          database: 'database',
          ms: 'answered_in_ms',
        }
        return { json: status, text: table(rows, columns, 'Nothing answers.') }
      })
      if (!healthy) throw new CommandFailure('Not all is well.', exitCodes.failed)
    })

  program
    .command('migrate')
    .description('bring the database of OAUTH2_DATABASE_URL up to date; needs no credentials but its own')
    .action(async () => {
      const applied = await migrateDatabase(environment, terminal)
      const text = `${applied.at}: up to date, ${applied.migrations.length} migration(s) applied now`
      show({ json: { applied: applied.migrations }, text })
    })
}

async function migrateDatabase(environment: Record<string, string | undefined>, { errors }: Terminal) {
  // The other commands start sooner without a database's driver.
  const { requireDatabaseUrl, showDatabaseUrl } = await import('@gatehouse/prisma/database-url')
  const { migrate } = await import('@gatehouse/prisma/migrate')
  const write = (fields: object, message: string) =>
    void errors.write(`${message} ${Object.values(fields).join(' ')}\n`)
  try {
    const databaseUrl = requireDatabaseUrl(environment)
    const migrations = await migrate({ databaseUrl, log: { info: write, warn: write } })
    return { at: showDatabaseUrl(databaseUrl), migrations }
  } catch (error) {
    throw new CommandFailure(error instanceof Error ? error.message : String(error))
  }
}
