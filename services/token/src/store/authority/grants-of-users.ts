import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type { FindGrantOfUser, GrantOfUser } from '../../tokens/grant-record.ts'

/**
 * Finds grants of users by the secrets of a table.
 * @param of.name the name of the statement
 * @param of.digest the column with the SHA-256 of the secret
 */
export function grantOfUserFinder(
  { pool }: Pick<Database, 'pool'>,
  { name, table, digest: column }: { name: string; table: string; digest: string },
): FindGrantOfUser {
  const text = `select user_id as "userId", scope from token.${table} where ${column} = $1 and client_id = $2`
  return async (digest, clientId) => {
    const query = { name, text, values: [digest, clientId] }
    return (await translateDatabaseErrors(pool.query<GrantOfUser>(query))).rows[0]
  }
}
