import { databaseVariables } from '@gatehouse/data/database-variables'
import {
  addressVariable,
  processVariables,
  rpcVariables,
  secretLengthRules,
} from '@gatehouse/kit/config/config'
import { emissionVariables } from '@gatehouse/kit/events/emission-variables'
import { fetchVariables } from '@gatehouse/kit/fetch/fetch-variables'
import { nextVariable } from '@gatehouse/kit/secrets/next-variable'
import { clientFields } from '@gatehouse/proto/client-metadata'
import { type Static, Type } from '@gatehouse/proto/typebox'
import {
  algorithmVariables,
  auditLogDaysVariable,
  clientAuthMethodsVariable,
  clientMetadataDocumentsVariable,
  grantSwitchVariables,
  loginHistoryDaysVariable,
  openidVariable,
  organizationsVariable,
  profileVariable,
  publicBaseUrlVariable,
  publicClientsVariable,
  pushedRequestsVariable,
  resourceIndicatorsVariable,
  scopeStepUpVariable,
  scopesSupportedVariable,
} from '@gatehouse/proto/variables'
import { clientCertificateVariables } from './clients/open-client-certificates.ts'

/** The longest lifetime of an access token, in seconds. Partitions and revocations are kept at least this long. */
export const longestAccessTokenLifetime = clientFields.access_token_lifetime.maximum

/**
 * How long a revocation must be kept, in seconds: as long as any token or code that it revokes can live. A code that is being
 * redeemed while its grant is revoked gives its tokens a moment later, hence the extra hour.
 */
export function revocationLifetime(config: {
  OAUTH2_REFRESH_TOKEN_TTL: number
  OAUTH2_AUTHORIZATION_CODE_TTL: number
}): number {
  const { OAUTH2_REFRESH_TOKEN_TTL: refresh, OAUTH2_AUTHORIZATION_CODE_TTL: code } = config
  return Math.max(longestAccessTokenLifetime, refresh) + code + 3_600
}

/** The token service's variables. */
export const tokenConfig = Type.Object({
  ...processVariables,
  ...rpcVariables,
  ...databaseVariables,
  ...emissionVariables,
  ...fetchVariables,
  ...profileVariable,
  ...openidVariable,
  ...organizationsVariable,
  ...algorithmVariables,
  ...publicBaseUrlVariable,
  ...auditLogDaysVariable,
  ...loginHistoryDaysVariable,
  ...grantSwitchVariables,
  ...publicClientsVariable,
  ...clientAuthMethodsVariable,
  ...pushedRequestsVariable,
  ...clientMetadataDocumentsVariable,
  ...resourceIndicatorsVariable,
  ...scopeStepUpVariable,
  ...scopesSupportedVariable,
  ...clientCertificateVariables,
  OAUTH2_CLIENT_REGISTRY_ADDR: addressVariable('client-registry'),
  OAUTH2_IDENTITY_ADDR: addressVariable('identity'),
  OAUTH2_JWT_SECRET: Type.String({
    minLength: 1,
    secret: true,
    rule: 'a text of at least 32 bytes',
    defaultText: 'the local launcher generates one and keeps it in the data directory',
    description:
      'Signs access tokens, and encrypts the private keys of key pairs. Changing it makes every earlier access token and ID token invalid; refresh tokens stay valid.',
    ...secretLengthRules('OAUTH2_JWT_SECRET'),
  }),
  ...nextVariable('OAUTH2_JWT_SECRET', { minLength: 1, rule: 'a text of at least 32 bytes' }),
  OAUTH2_ACCESS_TOKEN_AUDIENCE: Type.Optional(
    Type.String({
      minLength: 1,
      defaultText: 'the issuer',
      description: 'The `aud` claim of access tokens. Changing it makes earlier tokens inactive.',
    }),
  ),
  OAUTH2_ACCESS_TOKEN_TTL: Type.Integer({
    default: 3600,
    minimum: 1,
    maximum: longestAccessTokenLifetime,
    rule: `a whole number of seconds from 1 to ${longestAccessTokenLifetime} (7 days)`,
    description: 'The lifetime of an access token, in seconds.',
  }),
  OAUTH2_REFRESH_TOKEN_TTL: Type.Integer({
    default: 2_592_000,
    minimum: 1,
    maximum: 31_536_000,
    rule: 'a whole number of seconds from 1 to 31536000 (365 days)',
    description: 'The lifetime of a refresh token from its issue, in seconds. Each use gives a new one.',
  }),
  OAUTH2_AUTHORIZATION_CODE_TTL: Type.Integer({
    default: 600,
    minimum: 1,
    maximum: 3600,
    rule: 'a whole number of seconds from 1 to 3600',
    description: 'The lifetime of an authorization code, in seconds.',
  }),
  OAUTH2_INTROSPECTION_REQUIRE_AUTH: Type.Boolean({
    default: false,
    rule: 'true or false',
    description:
      'Whether introspection requires client credentials. Credentials that are sent must be valid in any case.',
  }),
})

/** The same, with their values. */
export type TokenConfig = Static<typeof tokenConfig>
