import type { NewTokens } from '../tokens/issued-token.ts'
import { resourcesText } from './resources.ts'
import { endOfRefreshTokenSql } from './session-grants.ts'

/**
 * Two parts of a `with` clause that store an access token, and a refresh token if one is wanted, for each row of `source`.
 * @param source the name of an earlier part with grant_id, grant_type, granted_at, client_id, user_id, username, scope and resources
 *   (the grant's), access_scope, parent_digest, first_use (false when the refresh token already exists), and `newTokenColumns`
 */
export const insertTokensSql = (source: string) => `
  access_token as (
    insert into token.access_tokens
      (expires_at, jti, granted_at, grant_id, grant_type, client_id, user_id, username, scope, resources)
    select to_timestamp(access_expires_at), jti, granted_at, grant_id, grant_type, client_id, user_id, username,
      access_scope, access_resources
    from ${source}
  ),
  refresh_token as (
    insert into token.refresh_tokens
      (token_digest, parent_digest, grant_id, grant_type, granted_at, client_id, user_id, username, scope, resources,
        expires_at)
    select refresh_digest, parent_digest, grant_id, grant_type, granted_at, client_id, user_id, username, scope, resources,
      ${endOfRefreshTokenSql(source, `${source}.refresh_lifetime`)}
    from ${source} where refresh_digest is not null and first_use
    on conflict do nothing
  )`

/** The names of what is known of new tokens before their grant is read. */
export const newTokenColumns = 'access_expires_at, jti, refresh_digest, refresh_lifetime, access_resources'

/** The parameters with one array for each of `newTokenColumns`, and their types. */
export const newTokenArrays = '$1::bigint[], $2::uuid[], $3::bytea[], $4::float8[], $5::text[]'

/** The values of `newTokenArrays`. */
export function newTokenValues(tokens: readonly NewTokens[]): unknown[] {
  return [
    tokens.map(({ expiresAt }) => expiresAt),
    tokens.map(({ jti }) => jti),
    tokens.map(({ refreshToken }) => refreshToken?.digest ?? null),
    tokens.map(({ refreshToken }) => refreshToken?.lifetime ?? 0),
    tokens.map(({ resources }) => resourcesText(resources)),
  ]
}
