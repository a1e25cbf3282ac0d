import type { NewTokens } from '../tokens/issued-token.ts'
import { authorityColumns } from './authority/authority-columns.ts'
import { type Column, namesOf } from './columns.ts'
import { accessTokenValuesSql, grantColumns } from './grant-columns.ts'
import { markedSql, unmarkedSql } from './organization-mark.ts'
import { resourcesText } from './resources.ts'
import { endOfRefreshTokenSql } from './session-grants.ts'

const grant = namesOf(grantColumns)
const authority = namesOf(authorityColumns)

/**
 * Two parts of a `with` clause that store an access token, and a refresh token if one is wanted, for each row of `source`.
 * @param source the name of an earlier part with grant_id, grant_type, granted_at and `grantColumns` (the grant's), access_scope,
 *   parent_digest, first_use (false when the refresh token already exists), and `newTokenColumns`
 */
export const insertTokensSql = (source: string) => `
  access_token as (
    insert into token.access_tokens (expires_at, jti, granted_at, grant_id, grant_type, ${grant}, ${authority})
    select to_timestamp(access_expires_at), jti, granted_at, grant_id, grant_type, ${accessTokenValuesSql(source)}, ${authority}
    from ${source}
  ),
  refresh_token as (
    insert into token.refresh_tokens (token_digest, parent_digest, grant_id, grant_type, granted_at, ${grant}, expires_at)
    select refresh_digest, parent_digest, grant_id, ${markedSql('grant_type', source)}, granted_at, ${grant},
      ${endOfRefreshTokenSql(source, `${source}.refresh_lifetime`)}
    from ${source} where refresh_digest is not null and first_use
    on conflict do nothing
  )`

/** The SQL of the grant that gave a refresh token. @param row the alias of its row */
export const grantTypeOfRefreshTokenSql = (row: string) => unmarkedSql('grant_type', row)

/** The columns of an item for which tokens are stored: what is known of them before their grant is read. */
export const newTokenColumns: readonly Column<{ tokens: NewTokens }>[] = [
  { name: 'access_expires_at', type: 'bigint', value: ({ tokens }) => tokens.expiresAt },
  { name: 'jti', type: 'uuid', value: ({ tokens }) => tokens.jti },
  { name: 'refresh_digest', type: 'bytea', value: ({ tokens }) => tokens.refreshToken?.digest },
  { name: 'refresh_lifetime', type: 'float8', value: ({ tokens }) => tokens.refreshToken?.lifetime ?? 0 },
  { name: 'access_resources', type: 'text', value: ({ tokens }) => resourcesText(tokens.resources) },
  ...authorityColumns.map(({ value, ...column }) => ({
    ...column,
    value: ({ tokens }: { tokens: NewTokens }) => value(tokens),
  })),
]
