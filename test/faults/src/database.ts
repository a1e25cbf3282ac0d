import { Client } from 'pg'
import type { Connections } from './checks.ts'

/** Reads the state of the services directly from the database. */
export type Database = {
  version(): Promise<string>
  /** The families of refresh tokens, with the number of unused tokens. */
  families(): Promise<{ grant: string; unused: number }[]>
  /** The attached partitions of the access tokens. */
  partitions(): Promise<string[]>
  /** The actions in all audit logs, with what they changed. */
  audited(): Promise<{ action: string; target: string }[]>
  /** The number of rows in each table that is a queue. */
  queues(): Promise<Record<string, number>>
  /** The services' connections. */
  connections(): Promise<Connections>
}

/** Opens a new connection for each query, because the server is restarted now and then. */
export function createDatabase(url: string): Database {
  async function rows<Row extends object>(text: string): Promise<Row[]> {
    const client = new Client({ connectionString: url, application_name: 'proof' })
    client.on('error', () => undefined)
    await client.connect()
    return client
      .query<Row & { [name: string]: unknown }>(text)
      .then((result) => result.rows)
      .finally(() => client.end())
  }
  return {
    async version() {
      const [row] = await rows<{ server_version: string }>('show server_version')
      return row?.server_version.split(' ')[0] ?? ''
    },
    families: () =>
      rows(`select grant_id::text as grant, (count(*) filter (where used_at is null))::int as unused
        from token.refresh_tokens group by grant_id`),
    async partitions() {
      const found = await rows<{ name: string }>(`
        select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = 'token.access_tokens'::regclass and not i.inhdetachpending`)
      return found.map(({ name }) => name)
    },
    audited: () =>
      rows(
        ['token', 'clients', 'identity', 'events']
          .map((schema) => `select action, target from ${schema}.audit_log`)
          .join(' union all '),
      ),
    async queues() {
      const tables = ['clients.pending_revocations', 'identity.pending_revocations', 'events.outbox']
      const counted = await rows<{ name: string; count: number }>(
        tables
          .map((name) => `select '${name}' as name, count(*)::int as count from ${name}`)
          .join(' union all '),
      )
      return Object.fromEntries(counted.map(({ name, count }) => [name, count]))
    },
    async connections() {
      const [row] = await rows<Connections>(`
        select count(*)::int as open, (count(*) filter (where state like 'idle in transaction%'))::int as "inTransaction"
        from pg_stat_activity where backend_type = 'client backend' and application_name <> 'proof'`)
      return row ?? { open: 0, inTransaction: 0 }
    },
  }
}
