import { brandOf } from '@gatehouse/kit/people/brand'
import { keyringOf } from '@gatehouse/kit/secrets/keyring'
import { idTokenAlgorithms } from '@gatehouse/proto/algorithms'
import { authorityScopes } from '@gatehouse/proto/claims'
import { enabledAuthenticationMethods } from '@gatehouse/proto/client-authentication'
import { enabledGrantTypes } from '@gatehouse/proto/grants'
import { profileBehaviour } from '@gatehouse/proto/profiles'
import type { GatewayConfig } from './config.ts'
import { trustedProxies } from './connections/trusted-proxies.ts'
import { builtSite } from './documentation/site.ts'
import { certificateHeaderOf, mutualTlsBase } from './mutual-tls/variables.ts'
import type { ServerNeeds } from './server.ts'

/** The part of the server's needs that its configuration alone decides. */
export function settingsOf(config: GatewayConfig) {
  return {
    issuer: config.OAUTH2_SERVER_PUBLIC_BASE_URL,
    scopesSupported: scopesOf(config),
    organizations: config.OAUTH2_ORGANIZATIONS_ENABLED,
    registration: {
      mode: config.OAUTH2_REGISTRATION,
      token: config.OAUTH2_REGISTRATION_TOKEN,
      full: profileBehaviour.substitutesClientMetadata[config.OAUTH2_PROFILE],
    },
    openid: config.OAUTH2_OPENID_ENABLED,
    formPost: profileBehaviour.formPost[config.OAUTH2_PROFILE],
    grantTypes: enabledGrantTypes(config),
    authenticationMethods: enabledAuthenticationMethods(config),
    pushedRequestMode: config.OAUTH2_PUSHED_AUTHORIZATION_REQUESTS,
    clientMetadataDocuments: config.OAUTH2_CLIENT_METADATA_DOCUMENTS,
    idTokenAlgorithms: idTokenAlgorithms(config),
    resourceIndicators: config.OAUTH2_RESOURCE_INDICATORS === 'registered',
    sessionKey: keyringOf(config.OAUTH2_SESSION_KEY, config.OAUTH2_SESSION_KEY_NEXT),
    brand: brandOf(config),
    documentation: profileBehaviour.documentation[config.OAUTH2_PROFILE] ? builtSite() : undefined,
    accountDeletion: config.OAUTH2_ACCOUNT_DELETION,
    trustProxy: trustedProxies(config.OAUTH2_SERVER_TRUST_PROXY_HEADERS),
    logCallers: config.OAUTH2_LOG_CALLERS,
    connections: {
      most: config.OAUTH2_SERVER_MAX_CONNECTIONS,
      mostOfAddress: config.OAUTH2_SERVER_MAX_CONNECTIONS_PER_ADDRESS,
    },
    mutualTlsBase: mutualTlsBase(config),
    certificateHeader: certificateHeaderOf(config),
    corsOrigins: config.OAUTH2_CORS_ORIGINS?.split(' ') ?? [],
  } satisfies Partial<ServerNeeds>
}

/** The scopes that mean something without a resource server. */
function scopesOf(config: GatewayConfig): string[] {
  const scopes = config.OAUTH2_SCOPES_SUPPORTED.split(' ')
  return config.OAUTH2_ORGANIZATIONS_ENABLED ? [...new Set([...scopes, ...authorityScopes])] : scopes
}
