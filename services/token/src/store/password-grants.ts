import { withPartition } from '@gatehouse/data/daily-partitions'
import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import { ClientChanged } from '../clients/client-change.ts'
import type { PasswordGrantDeps } from '../grants/password.ts'
import type { AccessTokenStoreDeps } from './access-tokens.ts'
import { isOutdatedSql } from './client-changes.ts'
import { insertTokensSql, newTokenArrays, newTokenColumns, newTokenValues } from './user-tokens.ts'

const addSql = `
  with given as (
    select $6::uuid as grant_id, 'password' as grant_type, $7::timestamptz as granted_at, $8::text as client_id,
      $9::text as user_id, $10::text as username, $11::text as scope, $11::text as access_scope,
      access_resources as resources, null::bytea as parent_digest, true as first_use, ${newTokenColumns}
    from unnest(${newTokenArrays}) as n (${newTokenColumns})
    where not ${isOutdatedSql('$8', '$12')}
  ),
  ${insertTokensSql('given')}
  select from given`

/** The password grants in PostgreSQL, which stores only their tokens. */
export function createPasswordGrantStore({
  database: { pool },
  makePartitions,
}: AccessTokenStoreDeps): PasswordGrantDeps['passwordGrants'] {
  return {
    async now() {
      // As text, because a Date has only milliseconds.
      const { rows } = await translateDatabaseErrors(pool.query<{ now: string }>('select now()::text as now'))
      return rows[0]?.now ?? ''
    },

    async add({ grantId, grantedAt, client, userId, username, scope }, tokens) {
      const values = [...newTokenValues([tokens]), grantId, grantedAt, client.clientId, userId]
      values.push(username, scope, client.revision)
      const add = () => pool.query({ name: 'add_password_grant', text: addSql, values })
      const { rowCount } = await withPartition(add, () => makePartitions([tokens.expiresAt]))
      if (rowCount === 0) throw new ClientChanged()
    },
  }
}
