import {
  addressVariable,
  databaseVariables,
  processVariables,
  publicBaseUrlVariable,
  rpcVariables,
} from '@gatehouse/kit/config'
import { Type } from 'typebox'

/** The longest that an access token may live, in seconds: partitions and revocations are kept for it. */
export const longestAccessTokenLifetime = 7 * 86_400

/** The token service's variables. */
export const tokenConfig = Type.Object({
  ...processVariables,
  ...rpcVariables,
  ...databaseVariables,
  ...publicBaseUrlVariable,
  OAUTH2_CLIENT_REGISTRY_ADDR: addressVariable('client-registry'),
  OAUTH2_JWT_SECRET: Type.String({
    minLength: 1,
    secret: true,
    rule: 'a text of at least 32 bytes',
    defaultText: 'the local launcher generates one and keeps it in the data directory',
    description: 'Signs access tokens. Changing it makes every earlier token fail.',
  }),
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
    description: 'How long an access token lives, in seconds.',
  }),
  OAUTH2_INTROSPECTION_REQUIRE_AUTH: Type.Boolean({
    default: false,
    rule: 'true or false',
    description:
      'Whether introspection needs client credentials. Those that are sent must be right either way.',
  }),
})
