import { Client } from 'pg'
import { BenchFailure } from './failure.ts'

/** The database's promises, and its counts. */
export type Database = {
  client: Client
  /** Its version and the settings that make an answered commit durable. */
  facts: Record<'server_version' | (typeof durable)[number], string>
  /**
   * Starts to count the tokens that are issued from now on.
   * @returns the function that stops counting
   */
  countTokens(lifetime: number): Promise<() => Promise<StoredTokens>>
}

/** The tokens that were stored in that time. */
export type StoredTokens = {
  rows: number
  /** How often PostgreSQL synced its log to the disk; many tokens share one sync. */
  logSyncs: number
}

const durable = ['fsync', 'synchronous_commit', 'full_page_writes'] as const

/**
 * Connects to the system's database.
 * @throws BenchFailure when an answered commit is not durable there
 */
export async function openDatabase(databaseUrl: string, stack: AsyncDisposableStack): Promise<Database> {
  const client = new Client({ connectionString: databaseUrl, application_name: 'bench' })
  await client.connect()
  stack.defer(() => client.end())
  const { rows } = await client.query<{ name: string; setting: string }>(
    'select name, setting from pg_settings where name = any ($1)',
    [['server_version', ...durable]],
  )
  const facts = Object.fromEntries(rows.map(({ name, setting }) => [name, setting])) as Database['facts']
  for (const name of durable) {
    if (facts[name] !== 'on')
      throw new BenchFailure(`PostgreSQL runs with ${name} ${facts[name]}; it must be on`)
  }
  return { client, facts, countTokens: (lifetime) => countTokens(client, lifetime) }
}

async function countTokens(client: Client, lifetime: number): Promise<() => Promise<StoredTokens>> {
  const { rows } = await client.query('select extract(epoch from now())::int as now')
  const from = rows[0].now - 1 + lifetime
  const before = await look(client, from, lifetime)
  return async () => {
    const after = await look(client, from, lifetime)
    return { rows: after.rows - before.rows, logSyncs: after.logSyncs - before.logSyncs }
  }
}

/** The bounds limit the count to the tokens that were just issued, however many others there are. */
async function look(client: Client, from: number, lifetime: number): Promise<StoredTokens> {
  const { rows } = await client.query(
    `select
      (select count(*) from token.access_tokens
        where expires_at >= to_timestamp($1) and expires_at <= now() + make_interval(secs => $2 + 1)) as rows,
      (select sum(fsyncs) from pg_stat_io where object = 'wal') as log_syncs`,
    [from, lifetime],
  )
  return { rows: Number(rows[0].rows), logSyncs: Number(rows[0].log_syncs) }
}
