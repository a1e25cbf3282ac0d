import { withPartition } from '@gatehouse/data/daily-partitions'
import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import { ClientChanged } from '../client-change.ts'
import type { PasswordGrantDeps } from '../grants/password.ts'
import type { AccessTokenStoreDeps } from './access-tokens.ts'
import { isOutdatedSql } from './client-changes.ts'
import { resourcesText } from './resources.ts'
import { insertTokensSql, tokenValues } from './user-tokens.ts'

const addSql = `
  with given as (
    select $5::uuid as grant_id, 'password' as grant_type, $6::timestamptz as granted_at, $7::text as client_id,
      $8::text as user_id, $9::text as username, $10::text as scope, $10::text as access_scope,
      $12::text as resources, $12::text as access_resources,
      null::bytea as parent_digest, true as first_use
    where not ${isOutdatedSql('$7', '$11')}
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
      const values = [...tokenValues(tokens), grantId, grantedAt, client.clientId, userId]
      values.push(username, scope, client.revision, resourcesText(tokens.resources))
      const add = () => pool.query({ name: 'add_password_grant', text: addSql, values })
      const { rowCount } = await withPartition(add, () => makePartitions([tokens.expiresAt]))
      if (rowCount === 0) throw new ClientChanged()
    },
  }
}
