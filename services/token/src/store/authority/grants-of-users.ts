import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type { FindGrantOfUser, GrantOfUser } from '../../tokens/grant-record.ts'

type FoundRow = Pick<GrantOfUser, 'userId' | 'scope'> & {
  organizationId: string | null
  methods: string[] | null
  byOrganization: boolean | null
}

/**
 * Finds grants of users by the secrets of a table.
 * @param of.name the name of the statement
 * @param of.digest the column with the SHA-256 of the secret
 */
export function grantOfUserFinder(
  { pool }: Pick<Database, 'pool'>,
  { name, table, digest: column }: { name: string; table: string; digest: string },
): FindGrantOfUser {
  const text = `
    select g.user_id as "userId", g.scope, g.organization_id as "organizationId", s.methods,
      s.by_organization as "byOrganization"
    from token.${table} g left join token.session_grants s on s.grant_id = g.grant_id
    where g.${column} = $1 and g.client_id = $2`
  return async (digest, clientId) => {
    const query = { name, text, values: [digest, clientId] }
    const [row] = (await translateDatabaseErrors(pool.query<FoundRow>(query))).rows
    if (row === undefined) return undefined
    const { organizationId, methods, byOrganization, ...grant } = row
    return {
      ...grant,
      organizationId: organizationId ?? undefined,
      methods: methods ?? undefined,
      byOrganization: byOrganization === true,
    }
  }
}
