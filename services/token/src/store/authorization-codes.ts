import { inPlaces, type Placed, sharing } from '@gatehouse/data/shared-statements'
import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import { coalesce } from '@gatehouse/kit/rpc/coalesce'
import { isDocumentClientId } from '@gatehouse/proto/client-id-documents'
import type {
  AuthorizationCodeRecord,
  AuthorizationCodeStore,
  Redemption,
} from '../authorization/authorization-code.ts'
import { ClientChanged } from '../clients/client-change.ts'
import { comparableRedirectUri } from '../clients/redirect-uri.ts'
import type { GrantedTokens, NewTokens } from '../tokens/issued-token.ts'
import type { AccessTokenStoreDeps } from './access-tokens.ts'
import { isOutdatedSql, words, wordsAmongSql } from './client-changes.ts'
import { hasResourcesSql, livingResourcesSql, readResources, resourcesText } from './resources.ts'
import { isRevokedSql } from './revocations.ts'
import {
  addSessionGrantsSql,
  isSessionEndedSql,
  type SessionGrantRow,
  sessionGrantColumns,
  sessionGrantValue,
  toSessionGrant,
} from './session-grants.ts'
import { storeTogether } from './stored-together.ts'
import { insertTokensSql, newTokenArrays, newTokenColumns, newTokenValues } from './user-tokens.ts'

// The flows' rows are locked in the order of their ids, so that no two statements deadlock. Of several concurrent answers to a flow,
// all but the first wait for its row, find it deleted, and store nothing; of several in one batch the first one wins.
const addSql = `
  with wanted as (
    select w.*, row_number() over (partition by flow_id, client_changed order by position) as attempt from (
      select u.*, ${isOutdatedSql('u.client_id', 'u.client_revision')} as client_changed
      from unnest($1::bytea[], $2::uuid[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
          $10::text[], $11::timestamptz[], $12::float8[], $13::uuid[], $14::text[])
        with ordinality as u (code_digest, grant_id, client_id, client_revision, user_id, username, redirect_uri, scope,
          code_challenge, resources, granted_at, lifetime, flow_id, session_grant, position)
    ) w
  ),
  waiting as materialized (
    select id from token.authorization_flows where id = any($13) and expires_at > now() order by id for update
  ),
  ended as (
    delete from token.authorization_flows f using wanted, waiting
    where f.id = waiting.id and f.id = wanted.flow_id and not wanted.client_changed
    returning f.id
  ),
  added as (
    insert into token.authorization_codes
      (code_digest, grant_id, client_id, user_id, username, redirect_uri, scope, code_challenge, granted_at, expires_at, resources)
    select code_digest, grant_id, client_id, user_id, username, redirect_uri, scope, code_challenge, granted_at,
      now() + make_interval(secs => lifetime), resources
    from wanted
    where not client_changed and (flow_id is null or (attempt = 1 and flow_id in (select id from ended)))
    returning code_digest
  ),
  stored as (select wanted.* from wanted join added on added.code_digest = wanted.code_digest),
  ${addSessionGrantsSql('stored', '$15')}
  select wanted.position::int - 1 as position, wanted.client_changed, exists (
    select from added where added.code_digest = wanted.code_digest
  ) as added from wanted`

// Compared as bytes, because PostgreSQL may not accept the sent value as text.
const redirectUriMatches = (sent: string) =>
  `(${sent}::bytea is null or convert_to(c.redirect_uri, 'UTF8') = ${sent})`

// The same rules as `comparableRedirectUri` and `isDocumentClientId`.
const redirectUriRegistered = (registered: string) => {
  const loopback = String.raw`127\.0\.0\.1|\[::1\]`
  const hosts = `case when c.client_id like 'https://%' then 'localhost|${loopback}' else '${loopback}' end`
  const pattern = String.raw`'^(http://(' || ${hosts} || ')):[1-9]\d{0,4}(?=[/?]|$)'`
  return String.raw`regexp_replace(c.redirect_uri, ${pattern}, '\1') = any(${registered})`
}

// The codes' rows are locked in the order of their digests, so that no two statements deadlock. Of several concurrent redemptions, all
// but the first wait for the code's row, see it redeemed, and change nothing; of several in one batch the first one wins. This
// statement may not see a revocation that is committed meanwhile, but introspection does: the tokens have the time at which
// the code was granted.
const redeemSql = `
  with wanted as (
    select * from unnest(${newTokenArrays}, $6::bytea[], $7::text[], $8::text[], $9::bytea[], $10::bigint[], $11::text[], $12::text[])
      with ordinality as w (${newTokenColumns}, digest, client_id, code_challenge, redirect_uri, client_revision, registered_uris,
        client_scope, position)
  ),
  locked as materialized (
    select l.* from (select distinct digest from wanted order by digest) k cross join lateral (
      select code_digest, grant_id, granted_at, client_id, user_id, username, redirect_uri, scope, resources, code_challenge,
        redeemed_at, expires_at
      from token.authorization_codes a where a.code_digest = k.digest for no key update
    ) l
  ),
  redeemable as materialized (
    select c.code_digest, c.grant_id, 'authorization_code' as grant_type, c.granted_at, c.client_id, c.user_id, c.username, c.scope,
      ${wordsAmongSql('c.scope', words('wanted.client_scope'))} as access_scope, c.resources,
      null::bytea as parent_digest, true as first_use, wanted.position, ${newTokenColumns},
      row_number() over (partition by c.code_digest order by wanted.position) as attempt
    from wanted join locked c on c.code_digest = wanted.digest
    where c.client_id = wanted.client_id and c.code_challenge = wanted.code_challenge and ${redirectUriMatches('wanted.redirect_uri')}
      and c.redeemed_at is null and c.expires_at > now() and not ${isRevokedSql('c', 'granted_at')}
      and not ${isOutdatedSql('wanted.client_id', 'wanted.client_revision')} and ${redirectUriRegistered(words('wanted.registered_uris'))}
      and not ${isSessionEndedSql('c')} and ${words('c.scope')} && ${words('wanted.client_scope')}
      and ${hasResourcesSql('c', 'wanted.access_resources')}
  ),
  redeemed as (select * from redeemable where attempt = 1),
  marked as (
    update token.authorization_codes c set redeemed_at = now()
    where c.code_digest = any(array(select code_digest from redeemed))
  ),
  ${insertTokensSql('redeemed')}
  select redeemed.position::int - 1 as position, redeemed.user_id, access_scope, ${sessionGrantColumns}
  from redeemed left join token.session_grants s on s.grant_id = redeemed.grant_id`

const inspectSql = `
  select grant_id, redeemed_at is not null as redeemed, expires_at <= now() as expired,
    ${isRevokedSql('c', 'granted_at')} or ${isSessionEndedSql('c')} as revoked, code_challenge = $3 as verifier_matches,
    ${redirectUriMatches('$4')} as redirect_uri_matches, ${isOutdatedSql('$2', '$5')} as client_changed,
    ${redirectUriRegistered('$6::text[]')} as redirect_uri_registered, ${livingResourcesSql('c')} as resources
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

/** A code, and the flow that it answers, if one waits. */
type NewCode = AuthorizationCodeRecord & { flowId: string | undefined }

/**
 * The authorization codes in PostgreSQL.
 * @param deps.keptFor the longest time for which a grant has tokens, in seconds
 */
export function createAuthorizationCodeStore({
  database: { pool },
  makePartitions,
  keptFor,
}: AccessTokenStoreDeps & { keptFor: number }): AuthorizationCodeStore {
  const addAll = (codes: readonly NewCode[]) =>
    translateDatabaseErrors(
      pool.query<Placed & { added: boolean; client_changed: boolean }>({
        name: 'add_authorization_codes',
        text: addSql,
        values: [
          codes.map(({ digest }) => digest),
          codes.map(({ grantId }) => grantId),
          codes.map(({ clientId }) => clientId),
          codes.map(({ clientRevision }) => clientRevision),
          codes.map(({ userId }) => userId),
          codes.map(({ username }) => username),
          codes.map(({ redirectUri }) => redirectUri),
          codes.map(({ scope }) => scope),
          codes.map(({ codeChallenge }) => codeChallenge),
          codes.map(({ resources }) => resourcesText(resources)),
          codes.map(({ grantedAt }) => grantedAt),
          codes.map(({ lifetime }) => lifetime),
          codes.map(({ flowId }) => flowId ?? null),
          codes.map(({ sessionGrant }) => sessionGrantValue(sessionGrant)),
          keptFor,
        ],
      }),
    )
  const redeemAll = (redemptions: readonly (Redemption & { tokens: NewTokens })[]) =>
    pool.query<Placed & { user_id: string; access_scope: string } & SessionGrantRow>({
      name: 'redeem_authorization_codes',
      text: redeemSql,
      values: [
        ...newTokenValues(redemptions.map(({ tokens }) => tokens)),
        redemptions.map(({ digest }) => digest),
        redemptions.map(({ client }) => client.clientId),
        redemptions.map(({ codeChallenge }) => codeChallenge),
        redemptions.map(({ redirectUri }) => sentUri(redirectUri)),
        redemptions.map(({ client }) => client.revision),
        // A URI has no space.
        redemptions.map(({ client }) => registeredUris(client).join(' ')),
        redemptions.map(({ client }) => client.scope),
      ],
    })
  const redeem = storeTogether(
    { makePartitions },
    redeemAll,
    (row): GrantedTokens => ({
      userId: row.user_id,
      scope: row.access_scope,
      sessionGrant: toSessionGrant(row),
    }),
  )

  const add = coalesce<NewCode, { added: boolean; client_changed: boolean } | undefined>({
    ...sharing,
    run: async (codes) => inPlaces(codes, (await addAll(codes)).rows, (row) => row),
  })

  return {
    async add(code, flowId) {
      const stored = await add({ ...code, flowId })
      if (stored?.client_changed) throw new ClientChanged()
      return stored?.added === true
    },

    redeem: (redemption, tokens) => redeem({ ...redemption, tokens }),

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
  const { clientId, revision } = client
  return [digest, clientId, codeChallenge, sentUri(redirectUri), revision, registeredUris(client)]
}

function sentUri(redirectUri: string | undefined): Buffer | null {
  return redirectUri === undefined ? null : Buffer.from(redirectUri)
}

function registeredUris({ clientId, redirectUris }: Redemption['client']): string[] {
  const byDocument = isDocumentClientId(clientId)
  return redirectUris.map((uri) => comparableRedirectUri(uri, byDocument))
}
