import { withPartition } from '@gatehouse/data/daily-partitions'
import { ClientChanged } from '../clients/client-change.ts'
import type { PasswordGrantDeps, PasswordGrantRecord } from '../grants/password.ts'
import type { NewTokens } from '../tokens/issued-token.ts'
import type { AccessTokenStoreDeps } from './access-tokens.ts'
import { isOutdatedSql } from './client-changes.ts'
import { type Column, namesOf, rowsOf, valuesOf } from './columns.ts'
import { grantColumns } from './grant-columns.ts'
import { insertTokensSql, newTokenColumns } from './user-tokens.ts'

type Given = PasswordGrantRecord & { tokens: NewTokens }

const columns: readonly Column<Given>[] = [
  ...newTokenColumns,
  ...grantColumns,
  { name: 'access_scope', type: 'text', value: ({ accessScope }) => accessScope },
  { name: 'grant_id', type: 'uuid', value: ({ grantId }) => grantId },
  { name: 'granted_at', type: 'timestamptz', value: ({ grantedAt }) => grantedAt },
  { name: 'client_revision', type: 'bigint', value: ({ clientRevision }) => clientRevision },
]

const addSql = `
  with given as (
    select ${namesOf(columns)}, 'password' as grant_type, null::bytea as parent_digest, true as first_use
    from ${rowsOf(columns, 'n')}
    where not ${isOutdatedSql('n.client_id', 'n.client_revision')}
  ),
  ${insertTokensSql('given')}
  select from given`

/** The password grants in PostgreSQL, which stores only their tokens. */
export function createPasswordGrantStore({
  database: { pool },
  makePartitions,
}: AccessTokenStoreDeps): PasswordGrantDeps['passwordGrants'] {
  return {
    async add(given, tokens) {
      const values = valuesOf(columns, [{ ...given, tokens }])
      const add = () => pool.query({ name: 'add_password_grant', text: addSql, values })
      const { rowCount } = await withPartition(add, () => makePartitions([tokens.expiresAt]))
      if (rowCount === 0) throw new ClientChanged()
    },
  }
}
