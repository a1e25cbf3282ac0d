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
import { grantOfUserFinder } from './authority/grants-of-users.ts'
import { askedId, fitsOrganizationSql, neededOrganizationColumns } from './authority/needed-organization.ts'
import { isOutdatedSql, words, wordsAmongSql } from './client-changes.ts'
import {
  arrayOf,
  type Column,
  namesOf,
  numberedRowsOf,
  parameterAfter,
  storedOf,
  valuesOf,
} from './columns.ts'
import { accessTokenGrantSql, type GrantRow, grantColumns, toUserGrant } from './grant-columns.ts'
import { marked, markedSql } from './organization-mark.ts'
import { provingStatement } from './proofs/spent-proofs.ts'
import { hasResourcesSql, livingResourcesSql, readResources } from './resources.ts'
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
import { insertTokensSql, newTokenColumns } from './user-tokens.ts'

/** A code, and the flow that it answers, if one waits. */
type NewCode = AuthorizationCodeRecord & { flowId: string | undefined }

const codeColumns: readonly Column<NewCode>[] = [
  { name: 'code_digest', type: 'bytea', value: ({ digest }) => digest },
  { name: 'grant_id', type: 'uuid', value: ({ grantId }) => grantId },
  ...grantColumns,
  { name: 'redirect_uri', type: 'text', value: ({ redirectUri }) => redirectUri },
  {
    ...{ name: 'code_challenge', type: 'text' },
    value: ({ codeChallenge = '', grant }) => marked(codeChallenge, grant.organizationId),
  },
  { name: 'granted_at', type: 'timestamptz', value: ({ grantedAt }) => grantedAt },
  {
    ...{ name: 'expires_at', type: 'float8', stored: (sent) => `now() + make_interval(secs => ${sent})` },
    value: ({ lifetime }) => lifetime,
  },
]

/** With a code, all that decides whether it is stored, and is stored elsewhere. */
const addColumns: readonly Column<NewCode>[] = [
  ...codeColumns,
  { name: 'client_revision', type: 'bigint', value: ({ clientRevision }) => clientRevision },
  { name: 'flow_id', type: 'uuid', value: ({ flowId }) => flowId },
  { name: 'session_grant', type: 'text', value: ({ grant }) => sessionGrantValue(grant.session) },
]

// The flows' rows are locked in the order of their ids, so that no two statements deadlock. Of several concurrent answers to a flow,
// all but the first wait for its row, find it deleted, and store nothing; of several in one batch the first one wins.
const addSql = `
  with wanted as (
    select w.*, row_number() over (partition by flow_id, client_changed order by position) as attempt from (
      select u.*, ${isOutdatedSql('u.client_id', 'u.client_revision')} as client_changed
      from ${numberedRowsOf(addColumns, 'u')}
    ) w
  ),
  waiting as materialized (
    select id from token.authorization_flows where id = any(${arrayOf(addColumns, 'flow_id')}) and expires_at > now() order by id for update
  ),
  ended as (
    delete from token.authorization_flows f using wanted, waiting
    where f.id = waiting.id and f.id = wanted.flow_id and not wanted.client_changed
    returning f.id
  ),
  added as (
    insert into token.authorization_codes (${namesOf(codeColumns)}) select ${storedOf(codeColumns)} from wanted
    where not client_changed and (flow_id is null or (attempt = 1 and flow_id in (select id from ended)))
    returning code_digest
  ),
  stored as (select wanted.* from wanted join added on added.code_digest = wanted.code_digest),
  ${addSessionGrantsSql('stored', parameterAfter(addColumns))}
  select wanted.position::int - 1 as position, wanted.client_changed, exists (
    select from added where added.code_digest = wanted.code_digest
  ) as added from wanted`

const verifierMatches = (challenge: string) => `c.code_challenge = ${markedSql(challenge, 'c')}`

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

/** A use of a code, and the tokens that it gives. */
type Use = Redemption & { tokens: NewTokens }

const useColumns: readonly Column<Use>[] = [
  ...newTokenColumns,
  { name: 'digest', type: 'bytea', value: ({ digest }) => digest },
  { name: 'client_id', type: 'text', value: ({ client }) => client.clientId },
  { name: 'code_challenge', type: 'text', value: ({ codeChallenge = '' }) => codeChallenge },
  { name: 'redirect_uri', type: 'bytea', value: ({ redirectUri }) => sentUri(redirectUri) },
  { name: 'client_revision', type: 'bigint', value: ({ client }) => client.revision },
  // A URI has no space.
  { name: 'registered_uris', type: 'text', value: ({ client }) => registeredUris(client).join(' ') },
  { name: 'client_scope', type: 'text', value: ({ client }) => client.scope },
  ...neededOrganizationColumns,
]

// The codes' rows are locked in the order of their digests, so that no two statements deadlock. Of several concurrent redemptions, all
// but the first wait for the code's row, see it redeemed, and change nothing; of several in one batch the first one wins. This
// statement may not see a revocation that is committed meanwhile, but introspection does: the tokens have the time at which
// the code was granted.
const redeem = provingStatement(
  'redeem_authorization_codes',
  useColumns,
  (_, rows) => `
  with ${rows.before} wanted as (
    select * from ${rows.from('w')}
  ),
  locked as materialized (
    select l.* from (select distinct digest from wanted order by digest) k cross join lateral (
      select code_digest, grant_id, granted_at, ${namesOf(grantColumns)}, redirect_uri, code_challenge, redeemed_at, expires_at
      from token.authorization_codes a where a.code_digest = k.digest for no key update
    ) l
  ),
  redeemable as materialized (
    select c.code_digest, c.grant_id, 'authorization_code' as grant_type, c.granted_at, ${namesOf(grantColumns, 'c')},
      ${wordsAmongSql('c.scope', words('wanted.client_scope'))} as access_scope,
      null::bytea as parent_digest, true as first_use, wanted.position, ${namesOf(newTokenColumns)},
      row_number() over (partition by c.code_digest order by wanted.position) as attempt
    from wanted join locked c on c.code_digest = wanted.digest
    where c.client_id = wanted.client_id and ${verifierMatches('wanted.code_challenge')} and ${redirectUriMatches('wanted.redirect_uri')}
      and c.redeemed_at is null and c.expires_at > now() and not ${isRevokedSql('c', 'granted_at')}
      and not ${isOutdatedSql('wanted.client_id', 'wanted.client_revision')} and ${redirectUriRegistered(words('wanted.registered_uris'))}
      and not ${isSessionEndedSql('c')} and ${words('c.scope')} && ${words('wanted.client_scope')}
      and ${hasResourcesSql('c', 'wanted.access_resources')}
      and ${fitsOrganizationSql('c', 'wanted.organization_mode', 'wanted.asked_organization')}
  ),
  redeemed as (select * from redeemable where attempt = 1),
  marked as (
    update token.authorization_codes c set redeemed_at = now()
    where c.code_digest = any(array(select code_digest from redeemed))
  ),
  ${insertTokensSql('redeemed')}
  select redeemed.position::int - 1 as position, ${accessTokenGrantSql('redeemed')}, ${sessionGrantColumns}
  from redeemed left join token.session_grants s on s.grant_id = redeemed.grant_id`,
)

const inspectSql = `
  select grant_id, redeemed_at is not null as redeemed, expires_at <= now() as expired,
    ${isRevokedSql('c', 'granted_at')} or ${isSessionEndedSql('c')} as revoked, ${verifierMatches('$3')} as verifier_matches,
    ${redirectUriMatches('$4')} as redirect_uri_matches, ${isOutdatedSql('$2', '$5')} as client_changed,
    ${redirectUriRegistered('$6::text[]')} as redirect_uri_registered, ${livingResourcesSql('c')} as resources,
    ${fitsOrganizationSql('c', '$7::text', '$8::text')} as organization_fits
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
  organization_fits: boolean
  resources: string | null
}

/**
 * The authorization codes in PostgreSQL.
 * @param deps.keptFor the longest time for which a grant has tokens, in seconds
 */
export function createAuthorizationCodeStore({
  database,
  makePartitions,
  keptFor,
}: AccessTokenStoreDeps & { keptFor: number }): AuthorizationCodeStore {
  const { pool } = database
  const addAll = (codes: readonly NewCode[]) =>
    translateDatabaseErrors(
      pool.query<Placed & { added: boolean; client_changed: boolean }>({
        name: 'add_authorization_codes',
        text: addSql,
        values: [...valuesOf(addColumns, codes), keptFor],
      }),
    )
  const redeemAll = storeTogether(
    { makePartitions },
    (uses: readonly Use[]) => pool.query<Placed & GrantRow & SessionGrantRow>(redeem(uses)),
    (row): GrantedTokens => ({ grant: toUserGrant(row, toSessionGrant(row)) }),
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

    redeem: (redemption, tokens) => redeemAll({ ...redemption, tokens }),

    findGrant: grantOfUserFinder(database, {
      ...{ name: 'find_grant_of_code', table: 'authorization_codes', digest: 'code_digest' },
    }),

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
          organizationFits: row.organization_fits,
          resources: readResources(row.resources),
        }
      )
    },
  }
}

function redemptionValues({
  digest,
  client,
  codeChallenge = '',
  redirectUri,
  organization,
}: Redemption): unknown[] {
  const { clientId, revision } = client
  const ofClient = [revision, registeredUris(client)]
  const needed = [organization.mode, askedId(organization)]
  return [digest, clientId, codeChallenge, sentUri(redirectUri), ...ofClient, ...needed]
}

function sentUri(redirectUri: string | undefined): Buffer | null {
  return redirectUri === undefined ? null : Buffer.from(redirectUri)
}

function registeredUris({ clientId, redirectUris }: Redemption['client']): string[] {
  const byDocument = isDocumentClientId(clientId)
  return redirectUris.map((uri) => comparableRedirectUri(uri, byDocument))
}
