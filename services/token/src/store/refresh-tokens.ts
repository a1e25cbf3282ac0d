import { withPartition } from '@gatehouse/data/daily-partitions'
import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { LiveRefreshToken, RefreshTokenStore } from '../refresh-token.ts'
import type { AccessTokenStoreDeps } from './access-tokens.ts'
import {
  isGrantedSql,
  isOutdatedSql,
  mayHaveTokenSql,
  permittedScopeSql,
  withChangeSql,
  wordsAmongSql,
} from './client-changes.ts'
import { hasResourcesSql, livingResourcesSql, readResources, resourcesText } from './resources.ts'
import { isRevokedSql } from './revocations.ts'
import {
  isSessionEndedSql,
  keepSessionGrantSql,
  type SessionGrantRow,
  sessionGrantColumns,
  toSessionGrant,
} from './session-grants.ts'
import { insertTokensSql, tokenValues } from './user-tokens.ts'

const mayBeUsed = `(
  t.used_at is null or (t.used_at > now() - interval '10 s' and t.successor_used_at is null)
)`
// A shortened lifetime also applies to earlier tokens, or they would outlive their revocations.
const isExpired = (lifetime: string) =>
  `(t.expires_at <= now() or t.created_at <= now() - make_interval(secs => ${lifetime}::float8))`

// Under READ COMMITTED the update waits for a concurrent update of the row and then evaluates the row's new state, while it
// sees all other rows as they were when the statement began. So everything that decides is on this one row, including when
// the successor was used. Rows are locked only from the newer to the older one, so no two uses deadlock. For the same reason
// an existing successor is not inserted again: that would wait for the transaction that uses it.
const rotateSql = `
  with rotated as (
    update token.refresh_tokens t set used_at = coalesce(t.used_at, now())
    where t.token_digest = $5 and t.client_id = $6 and ${mayBeUsed} and not ${isExpired('$4')}
      and ($7::text[] is null or ($7::text[] <@ string_to_array(t.scope, ' ') and $7::text[] <@ $9::text[]))
      and string_to_array(t.scope, ' ') && $9::text[] and ${isGrantedSql('t', '$10::text[]')}
      and not ${isRevokedSql('t', 'granted_at')} and not ${isOutdatedSql('$6', '$8')}
      and not ${isSessionEndedSql('t')} and ${hasResourcesSql('t', '$12')}
    returning t.grant_id, t.grant_type, t.granted_at, t.client_id, t.user_id, t.username, t.scope,
      coalesce(array_to_string($7::text[], ' '), ${wordsAmongSql('t.scope', '$9')}) as access_scope,
      t.resources, $12::text as access_resources, t.token_digest as parent_digest,
      t.parent_digest as grandparent_digest, t.used_at = now() as first_use
  ),
  parent as (
    update token.refresh_tokens t set successor_used_at = now()
    from rotated where t.token_digest = rotated.grandparent_digest and t.successor_used_at is null
  ),
  ${insertTokensSql('rotated')},
  ${keepSessionGrantSql('rotated', '$11')}
  select rotated.grant_id, rotated.user_id, access_scope, not first_use as repeated, ${sessionGrantColumns}
  from rotated left join kept s on s.grant_id = rotated.grant_id`

const inspectSql = `
  select grant_id, not ${mayBeUsed} as reused, ${isExpired('$3')} as expired,
    ${isRevokedSql('t', 'granted_at')} or ${isSessionEndedSql('t')} as revoked, ${isOutdatedSql('$2', '$4')} as client_changed,
    ${wordsAmongSql('t.scope', '$5::text[]')} as permitted_scope, ${isGrantedSql('t', '$6::text[]')} as granted,
    ${livingResourcesSql('t')} as resources
  from token.refresh_tokens t where token_digest = $1 and client_id = $2`

type InspectedRow = {
  grant_id: string
  reused: boolean
  expired: boolean
  revoked: boolean
  client_changed: boolean
  permitted_scope: string
  granted: boolean
  resources: string | null
}

type RotatedRow = SessionGrantRow & {
  grant_id: string
  user_id: string
  access_scope: string
  repeated: boolean
}

const findLiveSql = `
  select t.client_id as "clientId", t.user_id as "userId", t.username, ${permittedScopeSql('t')} as scope,
    extract(epoch from t.created_at)::bigint::int as "issuedAt",
    extract(epoch from least(t.expires_at, t.created_at + make_interval(secs => $2::float8)))::bigint::int as "expiresAt"
  from token.refresh_tokens t ${withChangeSql('t')}
  where t.token_digest = $1 and ${mayBeUsed} and not ${isExpired('$2')} and not ${isRevokedSql('t', 'granted_at')}
    and ${mayHaveTokenSql('t')} and (change.client_id is null or 'refresh_token' = any(change.grant_types))`

const findSql = `
  select client_id, grant_id, expires_at <= now() or ${isRevokedSql('t', 'granted_at')} as ended
  from token.refresh_tokens t where token_digest = $1`

/**
 * The refresh tokens in PostgreSQL.
 * @param deps.keptFor the longest time for which a grant has tokens, in seconds
 */
export function createRefreshTokenStore({
  database: { pool },
  makePartitions,
  keptFor,
}: AccessTokenStoreDeps & { keptFor: number }): RefreshTokenStore {
  return {
    async rotate({ digest, client, scope }, tokens) {
      const { clientId, revision } = client
      const values = [
        ...tokenValues(tokens),
        digest,
        clientId,
        scope ?? null,
        revision,
        client.scope.split(' '),
        [...client.grantTypes],
        keptFor,
        resourcesText(tokens.resources),
      ]
      const rotate = () =>
        pool.query<RotatedRow>({
          name: 'rotate_refresh_token',
          text: rotateSql,
          values,
        })
      const { rows } = await withPartition(rotate, () => makePartitions([tokens.expiresAt]))
      const [row] = rows
      return (
        row && {
          grantId: row.grant_id,
          userId: row.user_id,
          scope: row.access_scope,
          repeated: row.repeated,
          sessionGrant: toSessionGrant(row),
        }
      )
    },

    async inspect({ digest, client }, lifetime) {
      const { clientId, revision, grantTypes } = client
      const values = [digest, clientId, lifetime, revision, client.scope.split(' '), [...grantTypes]]
      const { rows } = await translateDatabaseErrors(pool.query<InspectedRow>(inspectSql, values))
      const [row] = rows
      if (row === undefined) return undefined
      const {
        grant_id: grantId,
        client_changed: clientChanged,
        permitted_scope: permittedScope,
        resources,
        ...state
      } = row
      return { ...state, grantId, clientChanged, permittedScope, resources: readResources(resources) }
    },

    async find(digest) {
      const { rows } = await translateDatabaseErrors(
        pool.query<{ client_id: string; grant_id: string; ended: boolean }>(findSql, [digest]),
      )
      return rows[0] && { clientId: rows[0].client_id, grantId: rows[0].grant_id, ended: rows[0].ended }
    },

    async findLive(digest, lifetime) {
      const { rows } = await translateDatabaseErrors(
        pool.query<LiveRefreshToken>(findLiveSql, [digest, lifetime]),
      )
      return rows[0]?.scope === '' ? undefined : rows[0]
    },
  }
}
