import { Client } from 'pg'
import type { Observation } from '../history/lines.ts'
import type { Connections } from './state-checks.ts'

/** Reads the state of the services directly from the database. */
export type Database = {
  version(): Promise<string>
  /** The families of refresh tokens, with the number of unused tokens. */
  families(): Promise<{ grant: string; unused: number }[]>
  /** The attached partitions of the access tokens. */
  partitions(): Promise<string[]>
  /** The number of rows in each table that is a queue. */
  queues(): Promise<Record<string, number>>
  /** The services' connections. */
  connections(): Promise<Connections>
  /** All audit entries. @param epoch the run's beginning, in milliseconds since the Unix epoch */
  auditEntries(epoch: number): Promise<Observation[]>
  /** The ids of all stored access tokens, some thousands a line. */
  storedTokens(): AsyncGenerator<Observation>
  /** Runs statements that change something, such as those of a plant. */
  change(statements: readonly string[]): Promise<void>
}

const auditedSchemas = ['token', 'clients', 'identity', 'events']
const atOnce = 5_000

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
    async auditEntries(epoch) {
      const parts = auditedSchemas.map(
        (
          schema,
        ) => `select extract(epoch from at)::float8 * 1000 as at, action, target, after ->> 'disabled' as disabled
          from ${schema}.audit_log`,
      )
      const found = await rows<{ at: number; action: string; target: string; disabled: string | null }>(
        parts.join(' union all '),
      )
      return found.map(({ at, action, target, disabled }) => ({
        ...{ is: 'audit', at: at - epoch, action, target },
        ...(disabled !== null && { change: `disabled=${disabled}` }),
      }))
    },
    async *storedTokens() {
      const found = await rows<{ jti: string }>('select jti from token.access_tokens')
      for (let first = 0; first < found.length; first += atOnce)
        yield { is: 'stored', tokens: found.slice(first, first + atOnce).map(({ jti }) => jti) }
    },
    async change(statements) {
      for (const text of statements) await rows(text)
    },
  }
}
