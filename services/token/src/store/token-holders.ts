import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type { TokenHolderStore } from '../administration/token-holders.ts'
import { isAuthorityOutdatedSql } from './authority/authority-changes.ts'
import { mayHaveTokenSql, permittedScopeSql, withChangeSql } from './client-changes.ts'
import { isResourceRevokedSql } from './resources.ts'
import { isRevokedSql } from './revocations.ts'
import { grantTypeOfRefreshTokenSql } from './user-tokens.ts'

// A used refresh token is no longer active, but its successor has a row of its own.
const listSql = `
  select client_id as "clientId", organization_id as "organizationId", array_agg(distinct scope) as scopes, min(granted_at) as "grantedAt"
  from (
    select a.client_id, a.organization_id, ${permittedScopeSql('a')} as scope, a.granted_at
    from token.access_tokens a ${withChangeSql('a')}
    where a.user_id = $1 and a.expires_at > now() and a.revoked_at is null
      and ${mayHaveTokenSql('a')} and not ${isRevokedSql('a', 'granted_at')}
      and not ${isResourceRevokedSql('a.resources', 'a.granted_at')} and not ${isAuthorityOutdatedSql('a')}
    union all
    select t.client_id, t.organization_id, ${permittedScopeSql('t')} as scope, t.granted_at
    from token.refresh_tokens t ${withChangeSql('t')}
    where t.user_id = $1 and t.expires_at > now() and t.used_at is null
      and ${mayHaveTokenSql('t', grantTypeOfRefreshTokenSql('t'))} and not ${isRevokedSql('t', 'granted_at')}
  ) live
  where scope <> ''
  group by client_id, organization_id order by min(granted_at) desc, client_id, organization_id`

type HolderRow = { clientId: string; organizationId: string | null; scopes: string[]; grantedAt: Date }

/** The clients that hold tokens of a user, in PostgreSQL. */
export function createTokenHolderStore({ pool }: Pick<Database, 'pool'>): TokenHolderStore {
  return {
    async list(userId) {
      const { rows } = await translateDatabaseErrors(pool.query<HolderRow>(listSql, [userId]))
      return rows.map((row) => ({ ...row, organizationId: row.organizationId ?? undefined }))
    },
  }
}
