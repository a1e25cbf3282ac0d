import type { Client } from 'pg'

/**
 * Requires what the first migration of a database needs: the right to create schemas in the database, and the table of migrations in
 * the schema public, where Prisma has it.
 * @throws Error in one line that names the missing rights with the statements that grant them
 */
export async function requireRights(client: Client): Promise<void> {
  const { rows } = await client.query<Rights>(
    `select current_user as role, current_database() as database,
      has_database_privilege(current_database(), 'create') as "mayCreateSchemas",
      to_regnamespace('public') is not null as "hasPublic",
      coalesce(has_schema_privilege(to_regnamespace('public')::oid, 'create'), false) as "mayCreateInPublic",
      coalesce(has_schema_privilege(to_regnamespace('public')::oid, 'usage'), false) as "mayUsePublic"`,
  )
  for (const { role, database, ...rights } of rows) {
    const to = `to ${client.escapeIdentifier(role)}`
    const missing = [
      ...(rights.mayCreateSchemas
        ? []
        : [
            [
              'create schemas',
              `grant create on database ${client.escapeIdentifier(database)} ${to}`,
            ] as const,
          ]),
      ...(rights.mayCreateInPublic && rights.mayUsePublic
        ? []
        : [
            [
              'create a table in the schema public, which lists the migrations',
              `${rights.hasPublic ? '' : 'create schema public; '}grant ${rights.mayUsePublic ? '' : 'usage, '}create on schema public ${to}`,
            ] as const,
          ]),
    ]
    if (missing.length === 0) continue
    throw new Error(
      `the role ${role} may not ${missing.map(([right]) => right).join(' nor ')} in the database ${database}: ` +
        `run there, as its owner, ${missing.map(([, grant]) => `${grant};`).join(' ')}`,
    )
  }
}

interface Rights {
  role: string
  database: string
  mayCreateSchemas: boolean
  hasPublic: boolean
  mayCreateInPublic: boolean
  mayUsePublic: boolean
}
