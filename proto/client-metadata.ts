import { keyPairAlgorithms } from './algorithms.ts'
import {
  authenticationMethodRemarks,
  authenticationMethods,
  defaultAuthenticationMethod,
} from './client-authentication.ts'
import type { ClientFieldRule } from './client-field-rule.ts'
import { claimsShapes, resourceServerLimits } from './resource-servers.ts'

/** The parties that decide about a client: it itself, when it registers, or an administrator. */
export const clientDeciders = ['administrator', 'registration'] as const

/** The party that decided something about a client. */
export type ClientDecider = (typeof clientDeciders)[number]

/** The party of a message or a row. */
export function clientDecider(text: string): ClientDecider {
  return text === 'administrator' ? 'administrator' : 'registration'
}

/** A field of a client's metadata document (RFC 7591 section 2). */
export type ClientField = ClientFieldRule & {
  /** Its label in forms and lists. */
  readonly label: string
  readonly description: string
  /** `registration`: anybody who registers a client may set it, and so may administrators. */
  readonly setBy: ClientDecider
  /** Whether only administrators see it. */
  readonly hidden?: true
  /** Whether it never changes after the client was created. */
  readonly fixed?: true
  /** Whether a client may register it only where OpenID Connect is on. */
  readonly openid?: true
  /** Its column and its field in messages, which always have a value. The other fields share the column and the field `metadata`. */
  readonly column?: string
  /** The value of a client that names none; with a column and without a default, the server chooses one. */
  readonly default?: unknown
  /** Its flags on the command line, where they are not its name. */
  readonly flags?: string
  /** The attribute that has it in an export of Keycloak. */
  readonly keycloak?: string
  /** The field that has it in an export of Hydra, after `<grant>_grant_`: there each grant has its own. */
  readonly hydra?: string
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
  default_resource: {
    kind: 'text',
    maxLength: resourceServerLimits.identifier,
    resource: true,
    label: 'Default resource server',
    description:
      'The identifier of the resource server for which tokens are that the client asks for without `resource` (RFC 8707 section 2) and without the scope `openid`. For clients that cannot send `resource`; by default none. While no enabled resource server has this identifier, such requests are refused.',
    setBy: 'administrator',
  },
  roles: {
    kind: 'roles',
    maxItems: 100,
    label: 'Roles',
    description:
      'The roles that the client itself has: each with `resource`, the identifier of a resource server, and `role`, the name of one of its roles. They count for tokens without a user, at resource servers whose scopes roles give. A role that is deleted counts no more; it stays in the list until it is removed.',
    setBy: 'administrator',
    flags: '--role <resource=role>',
  },
  roles_of: {
    kind: 'text',
    maxLength: resourceServerLimits.identifier,
    resource: true,
    label: 'Roles in ID tokens',
    description:
      'The identifier of the resource server whose roles of a user the scope `roles` shows the client in ID tokens and at userinfo; by default none.',
    setBy: 'administrator',
  },
  claims_shape: {
    kind: 'choice',
    choices: claimsShapes,
    label: 'Shape of roles and groups',
    description:
      'How ID tokens and userinfo have roles and groups: as lists of texts in `roles` and `groups` (`flat`), or as Keycloak writes them (`keycloak`); by default `flat`.',
    setBy: 'administrator',
  },
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

/** Every field with its name, in the order of the table. */
export const clientFieldEntries = Object.entries(clientFields) as [ClientFieldName, ClientField][]
