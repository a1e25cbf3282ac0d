import { answered } from '@gatehouse/prisma/answered'
import type { AuthorizationCodeStore, Redemption } from '../authorization-code.ts'
import type { AccessTokenStoreDeps } from './access-tokens.ts'
import { isRevokedSql } from './revocations.ts'
import { insertTokensSql, tokenValues, withPartition } from './user-tokens.ts'

const addSql = `
  insert into token.authorization_codes
    (code_digest, grant_id, client_id, user_id, username, redirect_uri, scope, code_challenge, granted_at,
      expires_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, now() + make_interval(secs => $10::float8))`

// As bytes: what was sent may be no text that PostgreSQL takes.
const redirectUriMatches = (parameter: string) =>
  `(${parameter}::bytea is null or convert_to(c.redirect_uri, 'UTF8') = ${parameter})`

// Of those who redeem a code at once, all but the first wait for its row, see it redeemed, and change nothing. A
// revocation that is committed meanwhile may not be seen here, but introspection sees it: what follows from a code
// counts as granted when the code was.
const redeemSql = `
  with redeemed as (
    update token.authorization_codes c set redeemed_at = now()
    where c.code_digest = $5 and c.client_id = $6 and c.code_challenge = $7 and ${redirectUriMatches('$8')}
      and c.redeemed_at is null and c.expires_at > now() and not ${isRevokedSql('c', 'granted_at')}
    returning grant_id, granted_at, client_id, user_id, username, scope, scope as access_scope,
      null::bytea as parent_digest, true as first_use
  ),
  ${insertTokensSql('redeemed')}
  select user_id, access_scope from redeemed`

const inspectSql = `
  select grant_id, redeemed_at is not null as redeemed, expires_at <= now() as expired,
    ${isRevokedSql('c', 'granted_at')} as revoked, code_challenge = $3 as verifier_matches,
    ${redirectUriMatches('$4')} as redirect_uri_matches
  from token.authorization_codes c where code_digest = $1 and client_id = $2`

type InspectedRow = {
  grant_id: string
  redeemed: boolean
  expired: boolean
  revoked: boolean
  verifier_matches: boolean
  redirect_uri_matches: boolean
}

/** The authorization codes in PostgreSQL. */
export function createAuthorizationCodeStore({
  database: { pool },
  makePartitions,
}: AccessTokenStoreDeps): AuthorizationCodeStore {
  return {
    async add(code) {
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
      ]
      await answered(pool.query({ name: 'add_authorization_code', text: addSql, values }))
    },

    async redeem(redemption, tokens) {
      const values = [...tokenValues(tokens), ...redemptionValues(redemption)]
      const redeem = () =>
        pool.query<{ user_id: string; access_scope: string }>({
          name: 'redeem_authorization_code',
          text: redeemSql,
          values,
        })
      const { rows } = await withPartition(redeem, tokens.expiresAt, makePartitions)
      return rows[0] && { userId: rows[0].user_id, scope: rows[0].access_scope }
    },

    async inspect(redemption) {
      const { rows } = await answered(pool.query<InspectedRow>(inspectSql, redemptionValues(redemption)))
      const [row] = rows
      return (
        row && {
          grantId: row.grant_id,
          redeemed: row.redeemed,
          expired: row.expired,
          revoked: row.revoked,
          verifierMatches: row.verifier_matches,
          redirectUriMatches: row.redirect_uri_matches,
        }
      )
    },
  }
}

function redemptionValues({ digest, clientId, codeChallenge, redirectUri }: Redemption): unknown[] {
  return [digest, clientId, codeChallenge, redirectUri === undefined ? null : Buffer.from(redirectUri)]
}
