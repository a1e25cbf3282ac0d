import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type { GrantOfUser, GrantOfUserStore } from '../../tokens/grant-record.ts'

const findSql = (table: string, key: string) =>
  `select user_id as "userId", scope from token.${table} where ${key} = $1 and client_id = $2`

const statements = {
  code: { name: 'find_grant_of_code', text: findSql('authorization_codes', 'code_digest') },
  refreshToken: { name: 'find_grant_of_refresh_token', text: findSql('refresh_tokens', 'token_digest') },
}

/** The grants of users in PostgreSQL, by what was given for them. */
export function createGrantOfUserStore({ pool }: Pick<Database, 'pool'>): GrantOfUserStore {
  return {
    async find(kind, { digest, clientId }) {
      const query = { ...statements[kind], values: [digest, clientId] }
      return (await translateDatabaseErrors(pool.query<GrantOfUser>(query))).rows[0]
    },
  }
}
