import type { Placed } from '@gatehouse/data/shared-statements'
import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { NewTokens } from '../tokens/issued-token.ts'
import type { RefreshTokenStore, Rotated, Rotation } from '../tokens/refresh-token.ts'
import type { AccessTokenStoreDeps } from './access-tokens.ts'
import { grantOfUserFinder } from './authority/grants-of-users.ts'
import { askedId, fitsOrganizationSql, neededOrganizationColumns } from './authority/needed-organization.ts'
import {
  isGrantedSql,
  isOutdatedSql,
  mayHaveTokenSql,
  permittedScopeSql,
  withChangeSql,
  words,
  wordsAmongSql,
} from './client-changes.ts'
import { arrayOf, type Column, namesOf, parameterAfter } from './columns.ts'
import { accessTokenGrantSql, type GrantRow, grantColumns, toUserGrant } from './grant-columns.ts'
import { provingStatement } from './proofs/spent-proofs.ts'
import { hasResourcesSql, livingResourcesSql, readResources } from './resources.ts'
import { isRevokedSql } from './revocations.ts'
import {
  isSessionEndedSql,
  keepSessionGrantSql,
  type SessionGrantRow,
  sessionGrantColumns,
  toSessionGrant,
} from './session-grants.ts'
import { storeTogether } from './stored-together.ts'
import { grantTypeOfRefreshTokenSql as grantTypeOf, insertTokensSql, newTokenColumns } from './user-tokens.ts'

/** A use of a token, and the tokens that it gives. */
type Use = Rotation & { tokens: NewTokens }

const useColumns: readonly Column<Use>[] = [
  ...newTokenColumns,
  { name: 'digest', type: 'bytea', value: ({ digest }) => digest },
  { name: 'client_id', type: 'text', value: ({ client }) => client.clientId },
  { name: 'asked_scope', type: 'text', value: ({ scope }) => scope?.join(' ') },
  { name: 'client_revision', type: 'bigint', value: ({ client }) => client.revision },
  { name: 'client_scope', type: 'text', value: ({ client }) => client.scope },
  { name: 'client_grants', type: 'text', value: ({ client }) => [...client.grantTypes].join(' ') },
  ...neededOrganizationColumns,
  { name: 'offered_expiry', type: 'bigint', value: ({ successorExpiresAt }) => successorExpiresAt },
]

const mayBeUsed = `(
  t.used_at is null or (t.used_at > now() - interval '10 s' and t.successor_used_at is null)
)`
// A shortened lifetime also applies to earlier tokens, or they would outlive their revocations.
const isExpired = (lifetime: string) =>
  `(t.expires_at <= now() or t.created_at <= now() - make_interval(secs => ${lifetime}::float8))`

// Each row that decides or changes is locked first, in the order of its digest: so no two statements deadlock, also where a token
// and its successor are used at once. The lock waits for a concurrent use and gives the row's new state, while everything else is
// seen as it was when the statement began; so what was used, and whether the successor was, is on these rows. A token that stands
// in a batch twice is used by the first of both, and repeated by the other. An existing successor is not inserted again: that would
// wait for the transaction that uses it. The first use decides the expiry that the successor carries; each later one gets it from here.
const rotate = provingStatement(
  'rotate_refresh_tokens',
  useColumns,
  (columns, rows) => `
  with ${rows.before} wanted as (
    select * from ${rows.from('w')}
  ),
  locked as materialized (
    select l.* from (
      select digest from wanted
      union
      select parent_digest from token.refresh_tokens
      where token_digest = any(${arrayOf(columns, 'digest')}) and parent_digest is not null
      order by digest
    ) k cross join lateral (
      select token_digest, parent_digest, grant_id, ${grantTypeOf('r')} as grant_type, granted_at, ${namesOf(grantColumns)}, created_at,
        expires_at, used_at, successor_used_at, successor_expires_at
      from token.refresh_tokens r where r.token_digest = k.digest for no key update
    ) l
  ),
  rotated as materialized (
    select t.grant_id, t.grant_type, t.granted_at, ${namesOf(grantColumns, 't')},
      coalesce(wanted.asked_scope, ${wordsAmongSql('t.scope', words('wanted.client_scope'))}) as access_scope,
      t.token_digest as parent_digest, t.parent_digest as grandparent_digest,
      t.used_at is null and row_number() over (partition by t.token_digest order by wanted.position) = 1 as first_use,
      case when t.used_at is null
        then to_timestamp(first_value(wanted.offered_expiry) over (partition by t.token_digest order by wanted.position))
        else t.successor_expires_at end as successor_expires_at,
      wanted.position, ${namesOf(newTokenColumns)}
    from wanted join locked t on t.token_digest = wanted.digest
    where t.client_id = wanted.client_id and ${mayBeUsed} and not ${isExpired('wanted.refresh_lifetime')}
      and (wanted.asked_scope is null
        or (${words('wanted.asked_scope')} <@ ${words('t.scope')} and ${words('wanted.asked_scope')} <@ ${words('wanted.client_scope')}))
      and ${words('t.scope')} && ${words('wanted.client_scope')} and ${isGrantedSql('t.grant_type', words('wanted.client_grants'))}
      and not ${isRevokedSql('t', 'granted_at')} and not ${isOutdatedSql('wanted.client_id', 'wanted.client_revision')}
      and not ${isSessionEndedSql('t')} and ${hasResourcesSql('t', 'wanted.access_resources')}
      and ${fitsOrganizationSql('t', 'wanted.organization_mode', 'wanted.asked_organization')}
  ),
  uses as (
    select array(select parent_digest from rotated where first_use order by position) as used,
      array(select successor_expires_at from rotated where first_use order by position) as expiries, array(
      select p.token_digest from rotated r join locked p on p.token_digest = r.grandparent_digest
      where p.successor_used_at is null
    ) as parents
  ),
  marked as (
    update token.refresh_tokens t set
      used_at = case when t.token_digest = any(uses.used) then coalesce(t.used_at, now()) else t.used_at end,
      successor_used_at = case when t.token_digest = any(uses.parents) then now() else t.successor_used_at end,
      successor_expires_at = coalesce(t.successor_expires_at, uses.expiries[array_position(uses.used, t.token_digest)])
    from uses where t.token_digest = any(uses.used || uses.parents)
  ),
  ${insertTokensSql('rotated')},
  ${keepSessionGrantSql('rotated', parameterAfter(columns))}
  select rotated.position::int - 1 as position, rotated.grant_id, ${accessTokenGrantSql('rotated')},
    not first_use as repeated, extract(epoch from successor_expires_at)::float8 as successor_expires_at, ${sessionGrantColumns}
  from rotated left join kept s on s.grant_id = rotated.grant_id`,
)

const inspectSql = `
  select grant_id, not ${mayBeUsed} as reused, ${isExpired('$3')} as expired,
    ${isRevokedSql('t', 'granted_at')} or ${isSessionEndedSql('t')} as revoked, ${isOutdatedSql('$2', '$4')} as client_changed,
    ${wordsAmongSql('t.scope', '$5::text[]')} as permitted_scope, ${isGrantedSql(grantTypeOf('t'), '$6::text[]')} as granted,
    ${livingResourcesSql('t')} as resources,
    ${fitsOrganizationSql('t', '$7::text', '$8::text')} as organization_fits
  from token.refresh_tokens t where token_digest = $1 and client_id = $2`

type InspectedRow = {
  grant_id: string
  reused: boolean
  expired: boolean
  revoked: boolean
  client_changed: boolean
  permitted_scope: string
  granted: boolean
  organization_fits: boolean
  resources: string | null
}

type RotatedRow = Placed &
  GrantRow &
  SessionGrantRow & { grant_id: string; repeated: boolean; successor_expires_at: number | null }
type LiveRow = GrantRow & { permitted_scope: string; issued_at: number; expires_at: number }

const findLiveSql = `
  select ${namesOf(grantColumns, 't')}, ${permittedScopeSql('t')} as permitted_scope,
    extract(epoch from t.created_at)::bigint::int as issued_at,
    extract(epoch from least(t.expires_at, t.created_at + make_interval(secs => $2::float8)))::bigint::int as expires_at
  from token.refresh_tokens t ${withChangeSql('t')}
  where t.token_digest = $1 and ${mayBeUsed} and not ${isExpired('$2')} and not ${isRevokedSql('t', 'granted_at')}
    and ${mayHaveTokenSql('t', grantTypeOf('t'))} and (change.client_id is null or 'refresh_token' = any(change.grant_types))`

const findSql = `
  select client_id, grant_id, expires_at <= now() or ${isRevokedSql('t', 'granted_at')} as ended
  from token.refresh_tokens t where token_digest = $1`

/**
 * The refresh tokens in PostgreSQL.
 * @param deps.keptFor the longest time for which a grant has tokens, in seconds
 */
export function createRefreshTokenStore({
  database,
  makePartitions,
  keptFor,
}: AccessTokenStoreDeps & { keptFor: number }): RefreshTokenStore {
  const { pool } = database
  const rotateAll = storeTogether(
    { makePartitions },
    (uses: readonly Use[]) => pool.query<RotatedRow>(rotate(uses, keptFor)),
    (row): Rotated => ({
      grantId: row.grant_id,
      grant: toUserGrant(row, toSessionGrant(row)),
      repeated: row.repeated,
      successorExpiresAt: row.successor_expires_at ?? undefined,
    }),
  )

  return {
    rotate: (rotation, tokens) => rotateAll({ ...rotation, tokens }),

    findGrant: grantOfUserFinder(database, {
      ...{ name: 'find_grant_of_refresh_token', table: 'refresh_tokens', digest: 'token_digest' },
    }),

    async inspect({ digest, client, organization }, lifetime) {
      const { clientId, revision, grantTypes } = client
      const ofClient = [revision, client.scope.split(' '), [...grantTypes]]
      const values = [digest, clientId, lifetime, ...ofClient, organization.mode, askedId(organization)]
      const { rows } = await translateDatabaseErrors(pool.query<InspectedRow>(inspectSql, values))
      const [row] = rows
      if (row === undefined) return undefined
      const {
        grant_id: grantId,
        client_changed: clientChanged,
        permitted_scope: permittedScope,
        organization_fits: organizationFits,
        resources: text,
        ...state
      } = row
      const resources = readResources(text)
      return { ...state, grantId, clientChanged, permittedScope, organizationFits, resources }
    },

    async find(digest) {
      const { rows } = await translateDatabaseErrors(
        pool.query<{ client_id: string; grant_id: string; ended: boolean }>(findSql, [digest]),
      )
      return rows[0] && { clientId: rows[0].client_id, grantId: rows[0].grant_id, ended: rows[0].ended }
    },

    async findLive(digest, lifetime) {
      const { rows } = await translateDatabaseErrors(pool.query<LiveRow>(findLiveSql, [digest, lifetime]))
      const [row] = rows
      if (row === undefined || row.permitted_scope === '') return undefined
      const { permitted_scope: permittedScope, issued_at: issuedAt, expires_at: expiresAt } = row
      return { grant: toUserGrant(row), permittedScope, issuedAt, expiresAt }
    },
  }
}
