import { answered } from '@gatehouse/prisma/answered'
import type { PasswordGrantDeps } from '../grants/password.ts'
import type { AccessTokenStoreDeps } from './access-tokens.ts'
import { insertTokensSql, tokenValues, withPartition } from './user-tokens.ts'

const addSql = `
  with given as (
    select $5::uuid as grant_id, $6::timestamptz as granted_at, $7::text as client_id,
      $8::text as user_id, $9::text as username, $10::text as scope, $10::text as access_scope,
      null::bytea as parent_digest, true as first_use
  ),
  ${insertTokensSql('given')}
  select`

/** The grants by password in PostgreSQL: there is nothing of them but their tokens. */
export function createPasswordGrantStore({
  database: { pool },
  makePartitions,
}: AccessTokenStoreDeps): PasswordGrantDeps['passwordGrants'] {
  return {
    async now() {
      // As text: a Date has milliseconds only.
      const { rows } = await answered(pool.query<{ now: string }>('select now()::text as now'))
      return rows[0]?.now ?? ''
    },

    async add({ grantId, grantedAt, clientId, userId, username, scope }, tokens) {
      const values = [...tokenValues(tokens), grantId, grantedAt, clientId, userId, username, scope]
      const add = () => pool.query({ name: 'add_password_grant', text: addSql, values })
      await withPartition(add, tokens.expiresAt, makePartitions)
    },
  }
}
