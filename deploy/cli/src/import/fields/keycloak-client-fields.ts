import { clientFieldEntries } from '@gatehouse/proto/client-metadata'
import { type FieldTable, kept } from './fields.ts'

const legacyTemplate = { means: 'templates of clients do not come along.' }

/** The fields of a client in Keycloak (ClientRepresentation). */
export const keycloakClientFields: FieldTable = {
  ...kept(
    'a text',
    'clientId',
    'name',
    'secret',
    'rootUrl',
    'baseUrl',
    'protocol',
    'clientAuthenticatorType',
  ),
  ...kept('true or false', 'enabled', 'publicClient', 'consentRequired', 'bearerOnly', 'directGrantsOnly'),
  ...kept('true or false', 'standardFlowEnabled', 'implicitFlowEnabled', 'directAccessGrantsEnabled'),
  ...kept('true or false', 'serviceAccountsEnabled'),
  ...kept('a list of texts', 'redirectUris', 'webOrigins', 'defaultClientScopes', 'optionalClientScopes'),
  ...kept('a list of objects', 'protocolMappers'),
  ...kept('an object', 'attributes'),
  ...Object.fromEntries(
    [
      'id',
      'access',
      'registeredNodes',
      'nodeReRegistrationTimeout',
      'origin',
      'alwaysDisplayInConsole',
      'type',
    ].map((name) => [name, 'unneeded' as const]),
  ),
  description: { means: 'clients have no description here.' },
  adminUrl: { means: 'adapters of Keycloak are not called; set backchannel_logout_uri for logouts.' },
  surrogateAuthRequired: { means: 'it has no counterpart here.' },
  registrationAccessToken: { means: 'with its old token, the client can no longer change itself.' },
  defaultRoles: { means: 'nobody gets roles by default here.' },
  notBefore: { means: 'no token from before comes along, so none is valid.' },
  fullScopeAllowed: {
    means: 'tokens have the roles at one resource server, whichever were allowed.',
    unless: [true],
  },
  frontchannelLogout: {
    means: 'the client is not told of logouts through the browser: set backchannel_logout_uri.',
  },
  authorizationServicesEnabled: {
    means: 'permissions and policies do not come along: its resources decide for themselves.',
  },
  authorizationSettings: { means: 'permissions and policies do not come along.' },
  authenticationFlowBindingOverrides: {
    holds: 'users of this client logged in by a flow of its own, which may have asked for more.',
  },
  clientTemplate: legacyTemplate,
  useTemplateConfig: legacyTemplate,
  useTemplateScope: legacyTemplate,
  useTemplateMappers: legacyTemplate,
}

const session = {
  holds: 'its sessions or tokens ended sooner than those of others.',
  unless: ['', '0', '-1'],
}
const requestObject = {
  holds: 'it had to sign or encrypt its authorization requests.',
  unless: ['any', 'not required', 'RSA-OAEP'],
}
const encrypted = { holds: 'its tokens were encrypted.' }
const assurance = { holds: 'it asked for a level of authentication.', unless: ['{}', '[]'] }

/** The attributes of a client in Keycloak, all of which are texts. `false` and what is empty change nothing. */
export const keycloakClientAttributes: FieldTable = {
  ...kept('a text', ...clientFieldEntries.flatMap(([, { keycloak }]) => keycloak ?? [])),
  ...kept('a text', 'post.logout.redirect.uris', 'use.refresh.tokens', 'backchannel.logout.session.required'),
  ...kept('a text', 'oauth2.device.authorization.grant.enabled', 'client.secret.expiration.time'),
  // Clients must send a code challenge here, unless their registration says otherwise.
  ...kept('a text', 'pkce.code.challenge.method'),
  ...Object.fromEntries(
    [
      ...['client.secret.creation.time', 'realm_client', 'token.response.type.bearer.lower-case'],
      ...[
        'exclude.session.state.from.auth.response',
        'exclude.issuer.from.auth.response',
        'display.on.consent.screen',
      ],
      ...['client_credentials.use_refresh_token', 'client.introspection.response.allow.jwt.claim.enabled'],
    ].map((name) => [name, 'unneeded' as const]),
  ),
  'consent.screen.text': { means: 'the consent page has its own words.' },
  login_theme: { means: 'all clients share the pages of this server.' },
  'frontchannel.logout.url': {
    means: 'the client is not told of logouts through the browser: set backchannel_logout_uri.',
  },
  'frontchannel.logout.session.required': { means: 'the client is not told of logouts through the browser.' },
  'backchannel.logout.revoke.offline.tokens': { holds: 'its refresh tokens were revoked at logout.' },
  'access.token.signed.response.alg': { means: 'the server chooses the algorithm of access tokens.' },
  'access.token.header.type.rfc9068': {
    means: 'access tokens have the type at+jwt or are opaque, as the server is set.',
  },
  'user.info.response.signature.alg': { holds: 'the answers of userinfo were signed.' },
  'user.info.encrypted.response.alg': encrypted,
  'user.info.encrypted.response.enc': encrypted,
  'id.token.encrypted.response.alg': encrypted,
  'id.token.encrypted.response.enc': encrypted,
  'authorization.signed.response.alg': { holds: 'the answers to its authorization requests were signed.' },
  'authorization.encrypted.response.alg': encrypted,
  'authorization.encrypted.response.enc': encrypted,
  'request.object.signature.alg': requestObject,
  'request.object.encryption.alg': requestObject,
  'request.object.encryption.enc': requestObject,
  'request.object.required': requestObject,
  'request.uris': { means: 'requests by reference are not taken.' },
  'require.pushed.authorization.requests': { holds: 'it had to push its authorization requests (RFC 9126).' },
  'tls.client.certificate.bound.access.tokens': {
    holds: 'its tokens were bound to its certificate (RFC 8705).',
  },
  'dpop.bound.access.tokens': { holds: 'its tokens were bound to its key (RFC 9449).' },
  'acr.loa.map': assurance,
  'default.acr.values': assurance,
  'minimum.acr.value': assurance,
  'client.session.idle.timeout': session,
  'client.session.max.lifespan': session,
  'client.offline.session.idle.timeout': session,
  'client.offline.session.max.lifespan': session,
  'pairwise.salt': { holds: 'its users had pairwise subjects: here their `sub` is another.' },
  sectorIdentifierUri: { holds: 'its users had pairwise subjects: here their `sub` is another.' },
  'oidc.ciba.grant.enabled': { means: 'logins without a browser (CIBA) do not exist here.' },
  'standard.token.exchange.enabled': { means: 'tokens cannot be exchanged here.' },
  'client.use.lightweight.access.token.enabled': {
    means: 'access tokens have what this server puts into them.',
  },
}
