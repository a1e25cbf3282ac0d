import type { Client } from 'pg'
import { insufficientPrivilege } from './database-errors.ts'

/** The schemas of the services, as in schema/base.prisma. */
export const schemas = ['token', 'clients', 'identity', 'events']

/**
 * Gives the role of the services the rights that they need on tables of the role that migrates: to read and write rows, and to know which
 * migrations were applied. It owns the partitioned tables, because PostgreSQL lets only the owner attach and detach partitions, which
 * services do each day. Nothing changes where it has all of that.
 * @param client connected as the role that migrates
 * @throws Error in one line when that role may not hand tables over, with the statement that lets it
 */
export async function giveRights(client: Client, serviceRole: string): Promise<void> {
  const to = client.escapeIdentifier(serviceRole)
  const all = schemas.join(', ')
  await client.query(`
    grant usage on schema public, ${all} to ${to};
    grant select on public._prisma_migrations to ${to};
    grant select, insert, update, delete on all tables in schema ${all} to ${to};
    grant usage on all sequences in schema ${all} to ${to}`)
  const { rows } = await client.query<{ schema: string; table: string }>(
    `select n.nspname as schema, c.relname as table
    from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_roles r on r.rolname = $2
    where n.nspname = any($1) and c.relowner <> r.oid
      and (c.relkind = 'p' or (c.relispartition and c.relkind = 'r'))`,
    [schemas, serviceRole],
  )
  try {
    for (const { schema, table } of rows)
      await client.query(`
        grant create on schema ${schema} to ${to};
        alter table ${schema}.${client.escapeIdentifier(table)} owner to ${to}`)
  } catch (error) {
    if ((error as { code?: string }).code !== insufficientPrivilege) throw error
    const { rows: known } = await client.query<{ me: string }>('select current_user as me')
    const me = known[0]?.me ?? ''
    throw new Error(
      `the role ${me} may not give ${serviceRole} the tables that have partitions: ` +
        `run, as an administrator, grant ${to} to ${client.escapeIdentifier(me)};`,
      { cause: error },
    )
  }
}
