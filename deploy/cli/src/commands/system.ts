import type { Command } from 'commander'
import { dataOf } from '../api.ts'
import type { CommandDeps } from '../command.ts'
import { CommandFailure, exitCodes } from '../failure.ts'
import { type Columns, table } from '../output.ts'
import type { Terminal } from '../terminal.ts'

/** gatehouse status, gatehouse migrate */
export function systemCommands(program: Command, deps: CommandDeps): void {
  const { environment, perform, show, terminal } = deps
  program
    .command('status')
    .description('show the state of every process; fails when one is not healthy')
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
        return { json: status, text: table(rows, columns, 'No process answers.') }
      })
      if (!healthy) throw new CommandFailure('Not every service is healthy.', exitCodes.failed)
    })

  program
    .command('migrate')
    .description('apply the migrations to the database at OAUTH2_DATABASE_URL; needs no other credentials')
    .action(async () => {
      const applied = await migrateDatabase(environment, terminal)
      const text = `${applied.at}: up to date, ${applied.migrations.length} migration(s) applied now`
      show({ json: { applied: applied.migrations }, text })
    })
}

async function migrateDatabase(environment: Record<string, string | undefined>, { errors }: Terminal) {
  // Loaded here, because the other commands start sooner without the database driver.
  const { migrationTarget, showDatabaseUrl } = await import('@gatehouse/prisma/database-url')
  const { migrate } = await import('@gatehouse/prisma/migrate')
  const write = (fields: object, message: string) =>
    void errors.write(`${message} ${Object.values(fields).join(' ')}\n`)
  try {
    const target = migrationTarget(environment)
    const migrations = await migrate({ ...target, log: { info: write, warn: write } })
    return { at: showDatabaseUrl(target.databaseUrl), migrations }
  } catch (error) {
    throw new CommandFailure(error instanceof Error ? error.message : String(error))
  }
}
