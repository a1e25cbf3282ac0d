import type { NewTokens } from '../issued-token.ts'
import { endOfRefreshTokenSql } from './session-grants.ts'

/**
 * Two parts of a `with` clause that store an access token, and a refresh token if one is wanted, for each row of `source`.
 * Parameters $1 to $4 are those of `tokenValues`.
 * @param source the name of an earlier part with grant_id, grant_type, granted_at, client_id, user_id, username, scope
 *   and resources (the grant's), access_scope and access_resources, parent_digest, and first_use (false when the refresh token already exists)
 */
export const insertTokensSql = (source: string) => `
  access_token as (
    insert into token.access_tokens
      (expires_at, jti, granted_at, grant_id, grant_type, client_id, user_id, username, scope, resources)
    select to_timestamp($1::bigint), $2::uuid, granted_at, grant_id, grant_type, client_id, user_id, username,
      access_scope, access_resources
    from ${source}
  ),
  refresh_token as (
    insert into token.refresh_tokens
      (token_digest, parent_digest, grant_id, grant_type, granted_at, client_id, user_id, username, scope, resources,
        expires_at)
    select $3::bytea, parent_digest, grant_id, grant_type, granted_at, client_id, user_id, username, scope, resources,
      ${endOfRefreshTokenSql(source, '$4')}
    from ${source} where $3::bytea is not null and first_use
    on conflict do nothing
  )`

/** The parameters $1 to $4 of a statement with `insertTokensSql`. */
export function tokenValues({ expiresAt, jti, refreshToken }: NewTokens): unknown[] {
  return [expiresAt, jti, refreshToken?.digest ?? null, refreshToken?.lifetime ?? 0]
}
