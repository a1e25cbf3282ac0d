import { ConfigurationError } from '@gatehouse/kit/config/configuration-error'
import { type Client, type ClientBase, escapeIdentifier, escapeLiteral } from 'pg'
import { settingsOfAll, settingsOfRequests } from './connection.ts'
import { showDatabaseUrl } from './database-url.ts'
import { requireVersion } from './suitable-server.ts'

// A pooler in transaction mode gives each transaction any of its connections, so a connection's settings cannot be set by its client.
// They are settings of the role in the database, with which each new connection of the pooler begins.

/** The settings by PostgreSQL's names for them, as pg_settings shows them. */
const needed: ReadonlyMap<string, string> = new Map(
  Object.entries({ ...settingsOfAll, ...settingsOfRequests }).map(([name, value]) => [name, String(value)]),
)

type Setting = { name: string; value: string; isOfRole: boolean; role: string; database: string }

/** The settings of this connection, and whether new connections of a role, by default its own, begin with those that are needed. */
const settingsQuery = `
  select needed.name, setting as value, coalesce($3::text, current_user::text) as role, current_database() as database, exists (
    select from pg_db_role_setting s cross join unnest(s.setconfig) as given
    where s.setrole in (0, (select oid from pg_roles where rolname = coalesce($3::text, current_user::text)))
      and s.setdatabase in (0, (select oid from pg_database where datname = current_database()))
      and lower(given) = lower(needed.name || '=' || needed.value)) as "isOfRole"
  from unnest($1::text[], $2::text[]) as needed (name, value)
  join pg_settings on lower(pg_settings.name) = needed.name`

/**
 * Whether a connection with another value would give answers that are misunderstood. The other settings may count on the pooler's
 * next connections only: it keeps those that it had before the settings for an hour at most.
 */
function isRead(name: string, value: string): boolean {
  return (
    name === 'timezone' ||
    name === 'default_transaction_isolation' ||
    (name === 'datestyle' && !value.startsWith('ISO'))
  )
}

/**
 * Checks the connections of a pooler in transaction mode.
 * @param client a connection by way of it
 * @throws ConfigurationError in one line for a server that is too old, for a pooler in statement mode, and for settings that are not those that
 *   Gatehouse needs, with the statement that sets them
 */
export async function requireTransactionPooler(client: ClientBase, databaseUrl: string): Promise<void> {
  await requireVersion(client, databaseUrl)
  try {
    await client.query('begin')
    await client.query('rollback')
  } catch (error) {
    if (!/statement pooling/i.test((error as Error).message)) throw error
    throw new ConfigurationError(
      `the database ${showDatabaseUrl(databaseUrl)} is behind a pooler in statement mode, which has no transactions: set it to transaction mode (PgBouncer: pool_mode = transaction)`,
    )
  }
  const rows = await settingsOf(client)
  const wrong = rows.filter(
    ({ name, value, isOfRole }) => value !== needed.get(name) && !(isOfRole && !isRead(name, value)),
  )
  const [{ role = '', database = '' } = {}] = wrong
  if (wrong.length === 0) return
  throw new ConfigurationError(
    `connections by way of the pooler ${showDatabaseUrl(databaseUrl)} do not have the settings that Gatehouse needs (${wrong.map(({ name }) => name).join(', ')}): ` +
      `run migrate with OAUTH2_DATABASE_DIRECT_URL, or ${statementsFor(role, database)}, and let the pooler connect anew (PgBouncer: RECONNECT)`,
  )
}

/**
 * Sets, for the role of the services, what connections by way of the pooler need.
 * @param client connected to PostgreSQL itself
 * @throws Error in one line when the role of this connection may not do that, with the statements
 */
export async function setRoleSettings(client: Client, serviceRole?: string): Promise<void> {
  const missing = (await settingsOf(client, serviceRole)).filter(({ isOfRole }) => !isOfRole)
  const [{ role, database } = {}] = missing
  if (role === undefined || database === undefined) return
  const statements = statementsFor(role, database)
  await client.query(statements).catch((error) => {
    throw new Error(`${error.message}: run, as an administrator, ${statements}`, { cause: error })
  })
}

async function settingsOf(client: ClientBase, role?: string): Promise<Setting[]> {
  const { rows } = await client.query<Setting>(settingsQuery, [
    [...needed.keys()],
    [...needed.values()],
    role,
  ])
  return rows
}

function statementsFor(role: string, database: string): string {
  const where = `alter role ${escapeIdentifier(role)} in database ${escapeIdentifier(database)}`
  return [...needed].map(([name, value]) => `${where} set ${name} = ${escapeLiteral(value)}`).join('; ')
}
