import { databaseVariables } from '@gatehouse/data/database-variables'
import { addressVariable, processVariables, rpcVariables } from '@gatehouse/kit/config/config'
import { emissionVariables } from '@gatehouse/kit/events/emission-variables'
import { fetchVariables } from '@gatehouse/kit/fetch/fetch-variables'
import { nextVariable } from '@gatehouse/kit/secrets/next-variable'
import { type Static, Type } from '@gatehouse/proto/typebox'
import {
  auditLogDaysVariable,
  brandVariables,
  loginHistoryDaysVariable,
  mailHistoryDaysVariable,
  openidVariable,
  organizationsVariable,
  profileVariable,
  publicBaseUrlVariable,
} from '@gatehouse/proto/variables'
import { factorPolicies } from './logins/second-factor.ts'
import { mailVariables } from './mail/variables.ts'
import { domainVariables } from './organizations/variables.ts'
import { socialVariables } from './providers/table.ts'

/** The identity service's variables. */
export const identityConfig = Type.Object({
  ...processVariables,
  ...rpcVariables,
  ...databaseVariables,
  ...emissionVariables,
  ...profileVariable,
  ...openidVariable,
  ...organizationsVariable,
  ...publicBaseUrlVariable,
  ...auditLogDaysVariable,
  ...loginHistoryDaysVariable,
  ...mailHistoryDaysVariable,
  ...socialVariables,
  ...mailVariables,
  ...domainVariables,
  ...fetchVariables,
  ...brandVariables,
  OAUTH2_TOKEN_ADDR: addressVariable('token'),
  OAUTH2_CLIENT_REGISTRY_ADDR: addressVariable('client-registry'),
  OAUTH2_MFA: Type.Enum([...factorPolicies], {
    default: 'optional',
    rule: `one of ${factorPolicies.join(', ')}`,
    description:
      'Who must log in with two factors: users who have enrolled a second one (optional), all administrators as well (administrators), or everybody (required). Whoever must have a second factor and has none enrols one while logging in. See docs/people/second-factors.md.',
  }),
  OAUTH2_FACTOR_KEY: Type.Optional(
    Type.String({
      minLength: 32,
      secret: true,
      rule: 'a text of at least 32 characters',
      defaultText:
        'the local launcher generates one and keeps it in the data directory; elsewhere none: users cannot set up authenticator apps, and connections have no secrets',
      description:
        'Encrypts the secrets of authenticator apps and of connections to other identity providers. With another key, or without one, nobody can log in with the app that they have set up, or by a connection.',
    }),
  ),
  ...nextVariable('OAUTH2_FACTOR_KEY', { minLength: 32, rule: 'a text of at least 32 characters' }),
  OAUTH2_SEED_USERNAME: Type.String({
    default: 'admin',
    minLength: 1,
    maxLength: 200,
    pattern: '^(?![Cc][Ll][Ii][Ee][Nn][Tt]_)[^\\s\\p{Cc}\\p{Cf}\\p{Cs}]+$',
    rule: 'a user name without white space and control characters that does not begin with client_',
    description: 'The user name of the administrator who is created if there is no such user.',
  }),
  OAUTH2_SEED_PASSWORD: Type.Optional(
    Type.String({
      minLength: 8,
      maxLength: 1_024,
      secret: true,
      rule: 'a password of 8 to 1024 characters',
      defaultText:
        'generated and printed once by the local launcher; elsewhere none, and no administrator is created',
      description: 'The password of this administrator. It never replaces a changed password.',
    }),
  ),
})

/** The same, with their values. */
export type IdentityConfig = Static<typeof identityConfig>
