import { assertionAlgorithms, keyPairAlgorithms } from './algorithms.ts'
import {
  authenticationMethodRemarks,
  authenticationMethods,
  defaultAuthenticationMethod,
  hasKeys,
} from './client-authentication.ts'
import { authorityFields } from './client-fields/authority-fields.ts'
import { certificateFieldEntries, certificateFields } from './client-fields/certificate-fields.ts'
import type { ClientDecider, ClientField } from './client-fields/client-field.ts'
import type { SubjectKind } from './client-fields/field-rule.ts'

export type { ClientDecider, ClientField, SubjectKind }
export { certificateFieldEntries }

/** The parties that decide about a client: it itself, when it registers, or an administrator. */
export const clientDeciders = ['administrator', 'registration'] as const satisfies readonly ClientDecider[]

/** The party of a message or a row. */
export function clientDecider(text: string): ClientDecider {
  return text === 'administrator' ? 'administrator' : 'registration'
}

/**
 * The fields of a client's metadata document. To add a field, write its entry here. Registration, the admin API, its pages, the
 * command line, storage and docs/reference/client-metadata.md follow; the token service finds its value in `client.metadata`.
 */
export const clientFields = {
  client_name: {
    kind: 'name',
    maxLength: 200,
    label: 'Name',
    description: 'The name that people see when they are asked for consent; by default the client_id.',
    setBy: 'registration',
    column: 'clientName',
    flags: '--name <name>',
  },
  redirect_uris: {
    kind: 'redirects',
    maxItems: 20,
    label: 'Redirect URIs',
    description: 'The addresses to which codes may be sent. Required for the grant `authorization_code`.',
    setBy: 'registration',
    column: 'redirectUris',
    default: [],
    flags: '--redirect-uri <uri>',
  },
  grant_types: {
    kind: 'grants',
    label: 'Grant types',
    description: 'The grants that the client may use; by default `authorization_code`.',
    setBy: 'registration',
    column: 'grantTypes',
    default: ['authorization_code'],
    flags: '--grant-type <type>',
  },
  scope: {
    kind: 'scope',
    maxLength: 1_000,
    label: 'Scope',
    description: 'The scopes that the client may ask for, space-separated; by default `read`.',
    setBy: 'registration',
    column: 'scope',
  },
  token_endpoint_auth_method: {
    kind: 'choice',
    choices: authenticationMethods,
    label: 'Authentication at the token endpoint',
    description: authenticationMethodRemarks,
    setBy: 'registration',
    fixed: true,
    column: 'tokenEndpointAuthMethod',
    default: defaultAuthenticationMethod,
  },
  jwks: {
    kind: 'keys',
    maxItems: 10,
    label: 'Public keys',
    description:
      'The public keys of the client as a JSON Web Key Set, for `private_key_jwt`; either this or `jwks_uri`.',
    setBy: 'registration',
    keys: true,
  },
  jwks_uri: {
    kind: 'url',
    called: true,
    label: 'Address of the public keys',
    description:
      'The https address at which the client publishes its public keys as a JSON Web Key Set; either this or `jwks`.',
    setBy: 'registration',
    keycloak: 'jwks.url',
    keys: true,
  },
  token_endpoint_auth_signing_alg: {
    kind: 'choice',
    choices: assertionAlgorithms,
    label: 'Algorithm of assertions',
    description: 'The algorithm with which the client must sign its assertions; by default any of them.',
    setBy: 'registration',
    keycloak: 'token.endpoint.auth.signing.alg',
    keys: true,
  },
  assertion_audience: {
    kind: 'choice',
    choices: ['issuer', 'token_endpoint_too'],
    label: 'Audience of assertions',
    description:
      'The `aud` that assertions must have: the issuer alone (`issuer`, the default), or also the address of an endpoint, which old libraries send (`token_endpoint_too`).',
    setBy: 'administrator',
  },
  ...certificateFields,
  client_uri: {
    kind: 'url',
    label: 'Home page',
    description: 'The address of a page about the client.',
    setBy: 'registration',
  },
  logo_uri: {
    kind: 'url',
    label: 'Logo',
    description:
      'The https address of a picture of the client. The consent page shows it if an administrator created the client.',
    setBy: 'registration',
    keycloak: 'logoUri',
    openid: true,
  },
  policy_uri: {
    kind: 'url',
    label: 'Privacy policy',
    description: 'The https address of a page that says how the client uses the data of its users.',
    setBy: 'registration',
    keycloak: 'policyUri',
    openid: true,
  },
  tos_uri: {
    kind: 'url',
    label: 'Terms of service',
    description: 'The https address of the terms under which people use the client.',
    setBy: 'registration',
    keycloak: 'tosUri',
    openid: true,
  },
  contacts: {
    kind: 'texts',
    maxItems: 10,
    maxLength: 200,
    label: 'Contacts',
    description: 'Ways to reach the people who are responsible for the client, such as e-mail addresses.',
    setBy: 'registration',
  },
  software_id: {
    kind: 'text',
    maxLength: 200,
    label: 'Software id',
    description: 'Identifies the client’s software; the same for all its instances and versions.',
    setBy: 'registration',
  },
  software_version: {
    kind: 'text',
    maxLength: 200,
    label: 'Software version',
    description: 'The version of the client’s software.',
    setBy: 'registration',
  },
  access_token_lifetime: {
    kind: 'integer',
    minimum: 60,
    maximum: 604_800,
    unit: 'seconds',
    label: 'Access token lifetime',
    description:
      'How long access tokens of the client are valid, from 60 seconds to 7 days; by default `OAUTH2_ACCESS_TOKEN_TTL`.',
    setBy: 'administrator',
    keycloak: 'access.token.lifespan',
    hydra: 'access_token_lifespan',
  },
  id_token_signed_response_alg: {
    kind: 'choice',
    choices: keyPairAlgorithms,
    label: 'Algorithm of ID tokens',
    description: 'The algorithm that signs the ID tokens of the client; by default `RS256`.',
    setBy: 'registration',
    keycloak: 'id.token.signed.response.alg',
    openid: true,
  },
  default_max_age: {
    kind: 'integer',
    minimum: 0,
    maximum: 31_536_000,
    unit: 'seconds',
    label: 'Longest time since login',
    description: 'Users who logged in longer ago log in again; by default they need not.',
    setBy: 'registration',
    keycloak: 'default.max.age',
    openid: true,
  },
  require_pkce: {
    kind: 'boolean',
    label: 'Require PKCE',
    description:
      'Whether the client must send a code challenge (RFC 7636), which by default it must. Exempt a client with a secret only if its library cannot do it: without PKCE, a stolen code can be used in another session.',
    setBy: 'administrator',
    openid: true,
  },
  require_nonce: {
    kind: 'boolean',
    label: 'Require a nonce without PKCE',
    description:
      'Whether a client that need not send a code challenge must send the scope `openid` and a `nonce` when it sends none, which by default it must (RFC 9700 section 2.1.1).',
    setBy: 'administrator',
    openid: true,
  },
  require_pushed_authorization_requests: {
    kind: 'boolean',
    label: 'Require pushed requests',
    description:
      'Whether the client must push its authorization requests (RFC 9126); by default as `OAUTH2_PUSHED_AUTHORIZATION_REQUESTS` says.',
    setBy: 'registration',
    keycloak: 'require.pushed.authorization.requests',
    openid: true,
  },
  ...authorityFields,
  application_type: {
    kind: 'choice',
    choices: ['web', 'native'],
    label: 'Kind of app',
    description:
      'Whether the client runs on a web server or in a browser (`web`), or on a device of its users (`native`).',
    setBy: 'registration',
    openid: true,
  },
  post_logout_redirect_uris: {
    kind: 'urls',
    maxItems: 20,
    label: 'Addresses after logout',
    description:
      'The addresses to which the client may have browsers redirected after a logout; the same rules as for `redirect_uris`.',
    setBy: 'registration',
    openid: true,
  },
  allowed_origins: {
    kind: 'urls',
    maxItems: 20,
    origins: true,
    label: 'Origins of the app’s pages',
    description:
      'The origins whose pages may call the endpoints for tokens, revocation and userinfo for the client (CORS), such as `https://app.example.com`. By default those of its http and https redirect URIs. They do not count in the profile `interface`.',
    setBy: 'administrator',
  },
  backchannel_logout_uri: {
    kind: 'url',
    called: true,
    label: 'Address of logout tokens',
    description:
      'The address to which a logout token is posted when a session ends in which users logged in to the client: an https URL, or an http URL of this machine.',
    setBy: 'registration',
    keycloak: 'backchannel.logout.url',
    openid: true,
  },
  id_token_user_claims: {
    kind: 'boolean',
    label: 'User claims in ID tokens',
    description:
      'Whether ID tokens also have what the scopes `profile` and `email` give at userinfo. For apps that do not ask there, such as those of Auth.js.',
    setBy: 'administrator',
    openid: true,
  },
  backchannel_logout_session_required: {
    kind: 'boolean',
    label: 'Session id in logout tokens',
    description: 'Whether the client needs the claim `sid` in logout tokens. They have it either way.',
    setBy: 'registration',
    openid: true,
  },
  first_party: {
    kind: 'boolean',
    label: 'First party',
    description: 'A first-party client does not ask users for consent.',
    setBy: 'administrator',
    hidden: true,
    column: 'firstParty',
    default: false,
  },
} as const satisfies Record<string, ClientField>

/** The name of a field. */
export type ClientFieldName = keyof typeof clientFields

/** Whether a client may register a field where these methods of authentication are on. Administrators may set all everywhere. */
export function isOfMethods({ keys, certificate }: ClientField, methods: readonly string[]): boolean {
  return (!keys || methods.some(hasKeys)) && (!certificate || methods.includes('tls_client_auth'))
}

/** Every field with its name, in the order of the table. */
export const clientFieldEntries = Object.entries(clientFields) as [ClientFieldName, ClientField][]
