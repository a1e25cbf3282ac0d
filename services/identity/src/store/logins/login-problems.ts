import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type { FullCounter, LoginFacts, LoginProblemStore } from '../../logins/login-problem.ts'
import { windowSeconds } from '../../logins/login-throttle.ts'
import type { FactorPolicy } from '../../logins/second-factor.ts'
import { requiredSql } from '../second-factors.ts'
import { nameAndNetworkKey, nameKey, networkKey } from './login-counter-keys.ts'

/** The most addresses that are looked at. */
const mostAddresses = 50

const factsSql = (policy: FactorPolicy) => `
  select u.username, u.disabled_at is not null as disabled, u.password_hash is not null as "hasPassword",
    (select count(*) from identity.social_accounts where user_id = u.id)::int as "socialAccounts",
    (select count(*) from identity.passkeys where user_id = u.id)::int as passkeys,
    exists (select from identity.totp_factors where user_id = u.id) as "authenticatorApp",
    (select count(*) from identity.recovery_codes where user_id = u.id and used_at is null)::int as "recoveryCodesLeft",
    ${requiredSql('u', policy)} as "secondFactorRequired",
    u.attributes ->> 'email' as email,
    coalesce(u.attributes -> 'email_verified' = 'true'::jsonb, false) as "emailVerified",
    exists (
      select from identity.users o
      where lower(o.attributes ->> 'email') = lower(u.attributes ->> 'email')
        and o.attributes -> 'email_verified' = 'true'::jsonb and o.id <> u.id
    ) as "emailShared",
    array(
      select distinct ip_address from identity.login_attempts
      where user_id = u.id and at > now() - interval '${windowSeconds} seconds' and failure <> '' limit ${mostAddresses}
    ) as "failedFrom"
  from identity.users u where u.id = $1::uuid`

// The keys of codes are made as in code-counters.ts.
const countersSql = `
  with names as (select name from unnest($1::text[]) as typed (name)),
  sources as (select * from unnest($2::text[], $3::text[]) as seen (ip_address, network)),
  keys as (
    select 'user' as kind, ${nameKey('name')} as key_digest, null as ip_address, $4::int as most from names
    union all
    select 'user_ip', ${nameAndNetworkKey('name', 'network')}, ip_address, $5::int from names, sources
    union all select 'ip', ${networkKey('network')}, ip_address, $6::int from sources
    union all
    select kind, sha256(convert_to($7::text, 'UTF8')), null, most from unnest($8::text[], $9::int[]) as code (kind, most)
  )
  select kind, k.ip_address as "ipAddress", max(f.window_ends) as until
  from keys k join identity.login_failures f using (kind, key_digest)
  where f.failures >= k.most and f.window_ends > now()
  group by 1, 2 order by 2, 1`

/** Creates the store of login problems, in PostgreSQL. @param policy OAUTH2_MFA */
export function createLoginProblemStore(
  { pool }: Pick<Database, 'pool'>,
  policy: FactorPolicy,
): LoginProblemStore {
  const find = factsSql(policy)
  return {
    async facts(userId) {
      const { rows } = await translateDatabaseErrors(
        pool.query<Omit<LoginFacts, 'email'> & { email: string | null }>(find, [userId]),
      )
      const [row] = rows
      return row && { ...row, email: row.email ?? undefined }
    },

    async fullCounters({ userId, names, sources, limits, codeLimits }) {
      const values = [
        names,
        sources.map(({ ipAddress }) => ipAddress),
        sources.map(({ network }) => network),
        limits.user,
        limits.userAndNetwork,
        limits.network,
        userId,
        codeLimits.map(({ kind }) => kind),
        codeLimits.map(({ most }) => most),
      ]
      const { rows } = await translateDatabaseErrors(
        pool.query<FullCounter & { ipAddress: string | null }>(countersSql, values),
      )
      return rows.map((row) => ({ ...row, ipAddress: row.ipAddress ?? undefined }))
    },
  }
}
