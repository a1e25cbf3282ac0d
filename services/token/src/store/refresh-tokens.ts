import { answered } from '@gatehouse/prisma/answered'
import type { RefreshTokenStore } from '../refresh-token.ts'
import type { AccessTokenStoreDeps } from './access-tokens.ts'
import { isRevokedSql } from './revocations.ts'
import { insertTokensSql, tokenValues, withPartition } from './user-tokens.ts'

const mayBeUsed = `(
  t.used_at is null or (t.used_at > now() - interval '10 s' and t.successor_used_at is null)
)`
// A lifetime that has been shortened counts for tokens made before too; else they would outlive the revocations.
const isOver = (lifetime: string) =>
  `(t.expires_at <= now() or t.created_at <= now() - make_interval(secs => ${lifetime}::float8))`

// Under READ COMMITTED the update waits for whoever has the row, and judges anew what it has become; all other rows
// are those of the statement's beginning. So all that decides is on this one row, that the successor has been used too.
// Rows are locked from the younger to the older one only, so no two uses wait for each other: the successor that is
// there already is not even tried to insert, for that would wait for whoever is using it.
const rotateSql = `
  with rotated as (
    update token.refresh_tokens t set used_at = coalesce(t.used_at, now())
    where t.token_digest = $5 and t.client_id = $6 and ${mayBeUsed} and not ${isOver('$4')}
      and ($7::text[] is null or $7::text[] <@ string_to_array(t.scope, ' '))
      and not ${isRevokedSql('t', 'granted_at')}
    returning t.grant_id, t.granted_at, t.client_id, t.user_id, t.username, t.scope,
      coalesce(array_to_string($7::text[], ' '), t.scope) as access_scope,
      t.token_digest as parent_digest, t.parent_digest as grandparent_digest, t.used_at = now() as first_use
  ),
  parent as (
    update token.refresh_tokens t set successor_used_at = now()
    from rotated where t.token_digest = rotated.grandparent_digest and t.successor_used_at is null
  ),
  ${insertTokensSql('rotated')}
  select user_id, access_scope from rotated`

const inspectSql = `
  select grant_id, not ${mayBeUsed} as reused, ${isOver('$3')} as expired,
    ${isRevokedSql('t', 'granted_at')} as revoked, scope
  from token.refresh_tokens t where token_digest = $1 and client_id = $2`

type InspectedRow = {
  grant_id: string
  reused: boolean
  expired: boolean
  revoked: boolean
  scope: string
}

const findSql = `
  select client_id, grant_id, expires_at <= now() or ${isRevokedSql('t', 'granted_at')} as ended
  from token.refresh_tokens t where token_digest = $1`

/** The refresh tokens in PostgreSQL. */
export function createRefreshTokenStore({
  database: { pool },
  makePartitions,
}: AccessTokenStoreDeps): RefreshTokenStore {
  return {
    async rotate({ digest, clientId, scope }, tokens) {
      const values = [...tokenValues(tokens), digest, clientId, scope ?? null]
      const rotate = () =>
        pool.query<{ user_id: string; access_scope: string }>({
          name: 'rotate_refresh_token',
          text: rotateSql,
          values,
        })
      const { rows } = await withPartition(rotate, tokens.expiresAt, makePartitions)
      return rows[0] && { userId: rows[0].user_id, scope: rows[0].access_scope }
    },

    async inspect({ digest, clientId }, lifetime) {
      const { rows } = await answered(pool.query<InspectedRow>(inspectSql, [digest, clientId, lifetime]))
      const [row] = rows
      if (row === undefined) return undefined
      const { grant_id: grantId, reused, expired, revoked, scope } = row
      return { grantId, reused, expired, revoked, scope }
    },

    async find(digest) {
      const { rows } = await answered(
        pool.query<{ client_id: string; grant_id: string; ended: boolean }>(findSql, [digest]),
      )
      return rows[0] && { clientId: rows[0].client_id, grantId: rows[0].grant_id, ended: rows[0].ended }
    },
  }
}
