import { ConfigurationError } from '@gatehouse/kit/config/configuration-error'
import { openConnection } from '@gatehouse/prisma/connection'
import { describeConnectionFailure } from '@gatehouse/prisma/database-errors'
import { migrationTarget, parseDatabaseUrl } from '@gatehouse/prisma/database-url'
import { migrate } from '@gatehouse/prisma/migrate'
import type { Client } from 'pg'
import { messageOf, StartFailure } from './failure.ts'

/**
 * Whether a database was never migrated. Only then does the first start create an administrator.
 * @throws StartFailure when the URL is invalid or the server does not answer within 5 s
 */
export async function isEmptyDatabase(databaseUrl: string): Promise<boolean> {
  let url: string
  try {
    url = parseDatabaseUrl(databaseUrl)
  } catch (error) {
    throw new StartFailure(messageOf(error))
  }
  let client: Client
  try {
    client = await openConnection({ databaseUrl: url, applicationName: 'gatehouse-launcher' })
  } catch (error) {
    if (error instanceof ConfigurationError) throw new StartFailure(messageOf(error))
    throw new StartFailure(sentence(describeConnectionFailure(error, url)))
  }
  try {
    const { rows } = await client.query<{ found: boolean }>(
      `select to_regclass('public._prisma_migrations') is not null as found`,
    )
    if (!rows[0]?.found) return true
    return (await client.query('select from public._prisma_migrations limit 1')).rowCount === 0
  } finally {
    await client.end()
  }
}

/**
 * Applies this release's migrations to a database.
 * @param variables OAUTH2_DATABASE_URL and, if another role migrates, OAUTH2_MIGRATION_DATABASE_URL
 * @param log called with a line for people about anything unusual
 * @throws StartFailure when a migration fails
 */
export async function migrateDatabase(
  variables: NodeJS.ProcessEnv,
  log: (line: string) => void,
): Promise<void> {
  const migrationLog = { info() {}, warn: (_fields: object, message: string) => log(message) }
  try {
    await migrate({ ...migrationTarget(variables), log: migrationLog })
  } catch (error) {
    throw new StartFailure(sentence(messageOf(error)))
  }
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
