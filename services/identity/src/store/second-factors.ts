import type { FactorPolicy } from '../logins/second-factor.ts'
import { hasRoleSql } from './admin-roles.ts'

/** The SQL condition that a user has a second factor. @param userId the SQL of the user's id */
export const hasFactorSql = (userId: string) => `(
  exists (select from identity.passkeys where user_id = ${userId})
  or exists (select from identity.totp_factors where user_id = ${userId}))`

const policySql: Record<FactorPolicy, (user: string) => string> = {
  optional: () => 'false',
  administrators: hasRoleSql,
  required: () => 'true',
}

/** The SQL condition that OAUTH2_MFA demands two factors of a user. @param user the alias of identity.users */
export const requiredSql = (user: string, policy: FactorPolicy) => policySql[policy](user)

/** The SQL condition that a login of a user needs a second factor. @param user the alias of identity.users */
export const demandedSql = (user: string, policy: FactorPolicy) =>
  `(${requiredSql(user, policy)} or ${hasFactorSql(`${user}.id`)})`

/** The SQL condition that two factors were proven. @param methods the SQL of the methods of a login */
export const provenSql = (methods: string) => `('mfa' = any(${methods}))`

/** The digest of a password's hash, by which a pending login knows that the password is still the same. */
export const passwordDigestSql = (passwordHash: string) => `sha256(convert_to(${passwordHash}, 'UTF8'))`
