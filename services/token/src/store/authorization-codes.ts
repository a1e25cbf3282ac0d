import { withPartition } from '@gatehouse/data/daily-partitions'
import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import { isDocumentClientId } from '@gatehouse/proto/client-id-documents'
import type { AuthorizationCodeStore, Redemption } from '../authorization-code.ts'
import { ClientChanged } from '../client-change.ts'
import { comparableRedirectUri } from '../redirect-uri.ts'
import type { AccessTokenStoreDeps } from './access-tokens.ts'
import { isOutdatedSql, wordsAmongSql } from './client-changes.ts'
import { hasResourcesSql, livingResourcesSql, readResources, resourcesText } from './resources.ts'
import { isRevokedSql } from './revocations.ts'
import {
  addSessionGrantSql,
  isSessionEndedSql,
  type SessionGrantRow,
  sessionGrantColumns,
  sessionGrantValue,
  toSessionGrant,
} from './session-grants.ts'
import { insertTokensSql, tokenValues } from './user-tokens.ts'

// Of several concurrent answers to a flow, all but the first wait for its row, find it deleted, and store nothing.
const addSql = `
  with ended as (
    delete from token.authorization_flows
    where id = $12 and expires_at > now() and not ${isOutdatedSql('$3', '$11')}
    returning id
  ),
  added as (
    insert into token.authorization_codes
      (code_digest, grant_id, client_id, user_id, username, redirect_uri, scope, code_challenge, granted_at,
        expires_at, resources)
    select $1, $2, $3, $4, $5, $6, $7, $8, $9, now() + make_interval(secs => $10::float8), $15
    where not ${isOutdatedSql('$3', '$11')} and ($12::uuid is null or exists (select from ended))
    returning grant_id, client_id, user_id
  ),
  ${addSessionGrantSql('added', '$13', '$14')}
  select exists (select from added) as added, ${isOutdatedSql('$3', '$11')} as client_changed`

// Compared as bytes, because PostgreSQL may not accept the sent value as text.
const redirectUriMatches = (parameter: string) =>
  `(${parameter}::bytea is null or convert_to(c.redirect_uri, 'UTF8') = ${parameter})`

// The same rules as `comparableRedirectUri` and `isDocumentClientId`.
const redirectUriRegistered = (parameter: string) => {
  const loopback = String.raw`127\.0\.0\.1|\[::1\]`
  const hosts = `case when c.client_id like 'https://%' then 'localhost|${loopback}' else '${loopback}' end`
  const pattern = String.raw`'^(http://(' || ${hosts} || ')):[1-9]\d{0,4}(?=[/?]|$)'`
  return String.raw`regexp_replace(c.redirect_uri, ${pattern}, '\1') = any(${parameter}::text[])`
}

// Of several concurrent redemptions, all but the first wait for the code's row, see it redeemed, and change nothing. This
// statement may not see a revocation that is committed meanwhile, but introspection does: the tokens have the time at which
// the code was granted.
const redeemSql = `
  with redeemed as (
    update token.authorization_codes c set redeemed_at = now()
    where c.code_digest = $5 and c.client_id = $6 and c.code_challenge = $7 and ${redirectUriMatches('$8')}
      and c.redeemed_at is null and c.expires_at > now() and not ${isRevokedSql('c', 'granted_at')}
      and not ${isOutdatedSql('$6', '$9')} and ${redirectUriRegistered('$10')} and not ${isSessionEndedSql('c')}
      and string_to_array(c.scope, ' ') && $11::text[] and ${hasResourcesSql('c', '$12')}
    returning grant_id, 'authorization_code' as grant_type, granted_at, client_id, user_id, username, scope,
      ${wordsAmongSql('c.scope', '$11')} as access_scope, resources, $12::text as access_resources,
      null::bytea as parent_digest, true as first_use
  ),
  ${insertTokensSql('redeemed')}
  select redeemed.user_id, access_scope, ${sessionGrantColumns}
  from redeemed left join token.session_grants s on s.grant_id = redeemed.grant_id`

const inspectSql = `
  select grant_id, redeemed_at is not null as redeemed, expires_at <= now() as expired,
    ${isRevokedSql('c', 'granted_at')} or ${isSessionEndedSql('c')} as revoked, code_challenge = $3 as verifier_matches,
    ${redirectUriMatches('$4')} as redirect_uri_matches, ${isOutdatedSql('$2', '$5')} as client_changed,
    ${redirectUriRegistered('$6')} as redirect_uri_registered, ${livingResourcesSql('c')} as resources
  from token.authorization_codes c where code_digest = $1 and client_id = $2`

type InspectedRow = {
  grant_id: string
  redeemed: boolean
  expired: boolean
  revoked: boolean
  verifier_matches: boolean
  redirect_uri_matches: boolean
  client_changed: boolean
  redirect_uri_registered: boolean
  resources: string | null
}

/**
 * The authorization codes in PostgreSQL.
 * @param deps.keptFor the longest time for which a grant has tokens, in seconds
 */
export function createAuthorizationCodeStore({
  database: { pool },
  makePartitions,
  keptFor,
}: AccessTokenStoreDeps & { keptFor: number }): AuthorizationCodeStore {
  return {
    async add(code, flowId) {
      const values = [
        code.digest,
        code.grantId,
        code.clientId,
        code.userId,
        code.username,
        code.redirectUri,
        code.scope,
        code.codeChallenge,
        code.grantedAt,
        code.lifetime,
        code.clientRevision,
        flowId ?? null,
        sessionGrantValue(code.sessionGrant),
        keptFor,
        resourcesText(code.resources),
      ]
      const { rows } = await translateDatabaseErrors(
        pool.query<{ added: boolean; client_changed: boolean }>({
          name: 'add_authorization_code',
          text: addSql,
          values,
        }),
      )
      if (rows[0]?.client_changed) throw new ClientChanged()
      return rows[0]?.added === true
    },

    async redeem(redemption, tokens) {
      const scope = redemption.client.scope.split(' ')
      const resources = resourcesText(tokens.resources)
      const values = [...tokenValues(tokens), ...redemptionValues(redemption), scope, resources]
      const redeem = () =>
        pool.query<{ user_id: string; access_scope: string } & SessionGrantRow>({
          name: 'redeem_authorization_code',
          text: redeemSql,
          values,
        })
      const { rows } = await withPartition(redeem, () => makePartitions([tokens.expiresAt]))
      const [row] = rows
      return row && { userId: row.user_id, scope: row.access_scope, sessionGrant: toSessionGrant(row) }
    },

    async inspect(redemption) {
      const { rows } = await translateDatabaseErrors(
        pool.query<InspectedRow>(inspectSql, redemptionValues(redemption)),
      )
      const [row] = rows
      return (
        row && {
          grantId: row.grant_id,
          redeemed: row.redeemed,
          expired: row.expired,
          revoked: row.revoked,
          verifierMatches: row.verifier_matches,
          redirectUriMatches: row.redirect_uri_matches,
          clientChanged: row.client_changed,
          redirectUriRegistered: row.redirect_uri_registered,
          resources: readResources(row.resources),
        }
      )
    },
  }
}

function redemptionValues({ digest, client, codeChallenge, redirectUri }: Redemption): unknown[] {
  const { clientId, revision, redirectUris } = client
  const sent = redirectUri === undefined ? null : Buffer.from(redirectUri)
  const byDocument = isDocumentClientId(clientId)
  const registered = redirectUris.map((uri) => comparableRedirectUri(uri, byDocument))
  return [digest, clientId, codeChallenge, sent, revision, registered]
}
