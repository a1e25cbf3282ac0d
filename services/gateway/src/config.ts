import {
  addressVariable,
  ConfigurationError,
  processVariables,
  secretLengthRules,
} from '@gatehouse/kit/config/config'
import { emissionVariables } from '@gatehouse/kit/events/emission-variables'
import { nextVariable } from '@gatehouse/kit/secrets/next-variable'
import { defaultsByProfile } from '@gatehouse/proto/profiles'
import { type Static, Type } from '@gatehouse/proto/typebox'
import { canonicalOrigins } from '@gatehouse/proto/url-rules'
import {
  algorithmVariables,
  brandVariables,
  clientAuthMethodsVariable,
  clientMetadataDocumentsVariable,
  grantSwitchVariables,
  openidVariable,
  organizationsVariable,
  profileVariable,
  publicBaseUrlVariable,
  publicClientsVariable,
  pushedRequestsVariable,
  registrationVariable,
  resourceIndicatorsVariable,
  scopesSupportedVariable,
} from '@gatehouse/proto/variables'
import { defaultConnections } from './connections/bounds.ts'
import { serverCertificateVariables } from './connections/certificate.ts'
import { trustedProxies, trustedProxiesRule } from './connections/trusted-proxies.ts'
import { limitVariables } from './limits/limit-table.ts'
import { redisVariable } from './limits/redis-variable.ts'
import { mutualTlsVariables } from './mutual-tls/variables.ts'
import { resilienceVariables } from './resilience/variables.ts'

// A rough pattern: trusted-proxies.ts checks that each is an address. A bare number does not match.
const network = '[0-9A-Fa-f]*[.:][0-9A-Fa-f.:]*(/\\d{1,3})?'

function connectionsVariable(connections: number, which: string) {
  return Type.Integer({
    default: connections,
    minimum: 1,
    maximum: 1_000_000,
    rule: 'a whole number from 1 on',
    description: `How many connections ${which}.`,
  })
}

/** A token that callers present in the header Authorization, which has no room for spaces and other signs than these. */
const bearerToken = {
  minLength: 32,
  pattern: '^[!-~]*$',
  secret: true,
  rule: 'at least 32 characters: ASCII, without spaces',
} as const

/** The gateway's variables. */
export const gatewayConfig = Type.Object({
  ...processVariables,
  ...profileVariable,
  ...openidVariable,
  ...organizationsVariable,
  ...algorithmVariables,
  ...publicBaseUrlVariable,
  ...scopesSupportedVariable,
  ...grantSwitchVariables,
  ...publicClientsVariable,
  ...clientAuthMethodsVariable,
  ...pushedRequestsVariable,
  ...clientMetadataDocumentsVariable,
  ...resourceIndicatorsVariable,
  ...brandVariables,
  ...resilienceVariables,
  OAUTH2_SERVER_HOST: Type.String({
    default: '0.0.0.0',
    minLength: 1,
    description:
      'The address on which the gateway listens. `::` is every address, of IPv4 too where there is any.',
  }),
  OAUTH2_SERVER_PORT: Type.Integer({
    default: 8080,
    minimum: 0,
    maximum: 65535,
    rule: 'a port number',
    description: 'The port on which the gateway listens.',
  }),
  ...serverCertificateVariables,
  ...mutualTlsVariables,
  OAUTH2_SERVER_MAX_CONNECTIONS: connectionsVariable(
    defaultConnections.most,
    'may be open at a gateway; fewer where its process may not have as many open files. Beyond that, idle ones are closed',
  ),
  OAUTH2_SERVER_MAX_CONNECTIONS_PER_ADDRESS: connectionsVariable(
    defaultConnections.mostOfAddress,
    'from one address may be open at a gateway; those of trusted proxies do not count',
  ),
  OAUTH2_SERVER_TRUST_PROXY_HEADERS: Type.String({
    default: 'false',
    pattern: `^(false|true|[1-9]\\d?|${network}(,${network})*)$`,
    rule: trustedProxiesRule,
    description:
      'Which proxies are trusted to name the caller’s address in X-Forwarded-For: none, that many proxies in front of the gateway, or the proxies at these addresses.',
    check({ OAUTH2_SERVER_TRUST_PROXY_HEADERS: value }: { OAUTH2_SERVER_TRUST_PROXY_HEADERS: string }) {
      trustedProxies(value)
    },
  }),
  OAUTH2_LOG_CALLERS: Type.Boolean({
    default: false,
    rule: 'true or false',
    description:
      'Whether the log line of each request has the address and the User-Agent header of its caller. They are personal data, so your notice of privacy must then name them. See docs/operate/operations.md.',
  }),
  OAUTH2_SESSION_KEY: Type.String({
    minLength: 1,
    secret: true,
    rule: 'a text of at least 32 bytes',
    defaultText: 'the local launcher generates one and keeps it in the data directory',
    description:
      'Signs the cookies of login sessions, and encrypts those with new recovery codes. Changing it ends every session.',
    ...secretLengthRules('OAUTH2_SESSION_KEY'),
  }),
  ...nextVariable('OAUTH2_SESSION_KEY', { minLength: 1, rule: 'a text of at least 32 bytes' }),
  ...redisVariable,
  OAUTH2_RATE_LIMIT_ENABLED: Type.Boolean({
    default: true,
    rule: 'true or false',
    description: 'Whether the number of requests is limited.',
  }),
  ...limitVariables,
  OAUTH2_TOKEN_ADDR: addressVariable('token'),
  OAUTH2_CLIENT_REGISTRY_ADDR: addressVariable('client-registry'),
  OAUTH2_IDENTITY_ADDR: addressVariable('identity'),
  ...emissionVariables,
  OAUTH2_EVENTS_INGEST_TOKEN: Type.Optional(
    Type.String({
      ...bearerToken,
      defaultText: 'none: anybody may send events',
      description:
        'The bearer token that a sender of events must present. It may then name itself as the producer: see docs/events/ingest.md.',
    }),
  ),
  ...registrationVariable,
  OAUTH2_REGISTRATION_TOKEN: Type.Optional(
    Type.String({
      ...bearerToken,
      defaultText: 'none',
      description: 'The bearer token for registering a client when OAUTH2_REGISTRATION is token.',
      check(values: { OAUTH2_REGISTRATION: string; OAUTH2_REGISTRATION_TOKEN?: string }) {
        if (values.OAUTH2_REGISTRATION === 'token' && values.OAUTH2_REGISTRATION_TOKEN === undefined)
          throw new ConfigurationError('OAUTH2_REGISTRATION_TOKEN must be set; OAUTH2_REGISTRATION is token')
      },
    }),
  ),
  OAUTH2_CORS_ORIGINS: Type.Optional(
    Type.String({
      ...defaultsByProfile('OAUTH2_CORS_ORIGINS'),
      ...canonicalOrigins('OAUTH2_CORS_ORIGINS'),
      pattern: '^([*]|https?://[^/\\s]+( https?://[^/\\s]+)*)$',
      rule: 'origins such as https://app.example.com, separated by single spaces, or *',
      defaultText: 'none',
      description:
        'The origins whose pages may call the endpoints for tokens, introspection, revocation, registration and userinfo; `*` for every origin. Discovery and JWKS are open to every origin.',
    }),
  ),
  OAUTH2_ACCOUNT_DELETION: Type.Boolean({
    default: false,
    rule: 'true or false',
    defaultText: '`false`; `true` with the local launcher',
    description:
      'Whether people may delete their own accounts on the account page. If not, only administrators can. See docs/apps/login.md.',
  }),
  OAUTH2_GEOIP_DATABASE: Type.Optional(
    Type.String({
      minLength: 1,
      defaultText: 'none: only addresses are shown',
      description:
        'A file with the cities or countries of IP addresses, in MaxMind’s format (.mmdb). With it, lists of sessions and logins show places. The file is read again when it changes. See docs/apps/login.md.',
    }),
  ),
})

/** The same, with their values. */
export type GatewayConfig = Static<typeof gatewayConfig>
