import { keyPairAlgorithms } from './algorithms.ts'
import { resourceServerLimits } from './resource-servers.ts'

/** The rule for a field's value. */
type Rule =
  /** With `resource`, the identifier of a resource server. */
  | { readonly kind: 'text'; readonly maxLength: number; readonly resource?: true }
  | { readonly kind: 'texts'; readonly maxItems: number; readonly maxLength: number }
  /** Of a page, or with `called`, of an endpoint that this server calls. */
  | { readonly kind: 'url'; readonly called?: true }
  /** Addresses to which browsers are redirected, or with `origins`, origins of pages (RFC 6454). */
  | { readonly kind: 'urls'; readonly maxItems: number; readonly origins?: true }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'choice'; readonly choices: readonly string[] }
  | {
      readonly kind: 'integer'
      readonly minimum: number
      readonly maximum: number
      readonly unit: 'seconds'
    }

/** A field of a client's metadata document (RFC 7591 section 2). */
export type ClientField = Rule & {
  /** Its label in forms and lists. */
  readonly label: string
  readonly description: string
  /** The parties that may set it: anybody who registers a client, or only administrators. */
  readonly setBy: 'anybody' | 'administrators'
  /** Whether a client may register it only where OpenID Connect is on. */
  readonly openid?: true
  /** The attribute that has it in an export of Keycloak. */
  readonly keycloak?: string
  /** The field that has it in an export of Hydra, after `<grant>_grant_`: there each grant has its own. */
  readonly hydra?: string
}

/**
 * The fields of a client's metadata document that are stored in one column; the others have columns of their own. To add a
 * field, write its entry here. Registration, the admin API, its pages, the command line, storage and
 * docs/reference/client-metadata.md follow; the token service finds its value in `client.metadata`.
 */
export const clientFields = {
  client_uri: {
    kind: 'url',
    label: 'Home page',
    description: 'The address of a page about the client.',
    setBy: 'anybody',
  },
  logo_uri: {
    kind: 'url',
    label: 'Logo',
    description:
      'The https address of a picture of the client. The consent page shows it if an administrator created the client.',
    setBy: 'anybody',
    keycloak: 'logoUri',
    openid: true,
  },
  policy_uri: {
    kind: 'url',
    label: 'Privacy policy',
    description: 'The https address of a page that says how the client uses the data of its users.',
    setBy: 'anybody',
    keycloak: 'policyUri',
    openid: true,
  },
  tos_uri: {
    kind: 'url',
    label: 'Terms of service',
    description: 'The https address of the terms under which people use the client.',
    setBy: 'anybody',
    keycloak: 'tosUri',
    openid: true,
  },
  contacts: {
    kind: 'texts',
    maxItems: 10,
    maxLength: 200,
    label: 'Contacts',
    description: 'Ways to reach the people who are responsible for the client, such as e-mail addresses.',
    setBy: 'anybody',
  },
  software_id: {
    kind: 'text',
    maxLength: 200,
    label: 'Software id',
    description: 'Identifies the client’s software; the same for all its instances and versions.',
    setBy: 'anybody',
  },
  software_version: {
    kind: 'text',
    maxLength: 200,
    label: 'Software version',
    description: 'The version of the client’s software.',
    setBy: 'anybody',
  },
  access_token_lifetime: {
    kind: 'integer',
    minimum: 60,
    maximum: 604_800,
    unit: 'seconds',
    label: 'Access token lifetime',
    description:
      'How long access tokens of the client are valid, from 60 seconds to 7 days; by default `OAUTH2_ACCESS_TOKEN_TTL`.',
    setBy: 'administrators',
    keycloak: 'access.token.lifespan',
    hydra: 'access_token_lifespan',
  },
  id_token_signed_response_alg: {
    kind: 'choice',
    choices: keyPairAlgorithms,
    label: 'Algorithm of ID tokens',
    description: 'The algorithm that signs the ID tokens of the client; by default `RS256`.',
    setBy: 'anybody',
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
    setBy: 'anybody',
    keycloak: 'default.max.age',
    openid: true,
  },
  require_pkce: {
    kind: 'boolean',
    label: 'Require PKCE',
    description:
      'Whether the client must send a code challenge (RFC 7636), which by default it must. Exempt a client with a secret only if its library cannot do it: without PKCE, a stolen code can be used in another session.',
    setBy: 'administrators',
    openid: true,
  },
  require_nonce: {
    kind: 'boolean',
    label: 'Require a nonce without PKCE',
    description:
      'Whether a client that need not send a code challenge must send the scope `openid` and a `nonce` when it sends none, which by default it must (RFC 9700 section 2.1.1).',
    setBy: 'administrators',
    openid: true,
  },
  default_resource: {
    kind: 'text',
    maxLength: resourceServerLimits.identifier,
    resource: true,
    label: 'Default resource server',
    description:
      'The identifier of the resource server for which tokens are that the client asks for without `resource` (RFC 8707 section 2) and without the scope `openid`. For clients that cannot send `resource`; by default none. While no enabled resource server has this identifier, such requests are refused.',
    setBy: 'administrators',
  },
  application_type: {
    kind: 'choice',
    choices: ['web', 'native'],
    label: 'Kind of app',
    description:
      'Whether the client runs on a web server or in a browser (`web`), or on a device of its users (`native`).',
    setBy: 'anybody',
    openid: true,
  },
  post_logout_redirect_uris: {
    kind: 'urls',
    maxItems: 20,
    label: 'Addresses after logout',
    description:
      'The addresses to which the client may have browsers redirected after a logout; the same rules as for `redirect_uris`.',
    setBy: 'anybody',
    openid: true,
  },
  allowed_origins: {
    kind: 'urls',
    maxItems: 20,
    origins: true,
    label: 'Origins of the app’s pages',
    description:
      'The origins whose pages may call the endpoints for tokens, revocation and userinfo for the client (CORS), such as `https://app.example.com`. By default those of its http and https redirect URIs. They do not count in the profile `interface`.',
    setBy: 'administrators',
  },
  backchannel_logout_uri: {
    kind: 'url',
    called: true,
    label: 'Address of logout tokens',
    description:
      'The address to which a logout token is posted when a session ends in which users logged in to the client: an https URL, or an http URL of this machine.',
    setBy: 'anybody',
    keycloak: 'backchannel.logout.url',
    openid: true,
  },
  id_token_user_claims: {
    kind: 'boolean',
    label: 'User claims in ID tokens',
    description:
      'Whether ID tokens also have what the scopes `profile` and `email` give at userinfo. For apps that do not ask there, such as those of Auth.js.',
    setBy: 'administrators',
    openid: true,
  },
  backchannel_logout_session_required: {
    kind: 'boolean',
    label: 'Session id in logout tokens',
    description: 'Whether the client needs the claim `sid` in logout tokens. They have it either way.',
    setBy: 'anybody',
    openid: true,
  },
} as const satisfies Record<string, ClientField>

/** The name of a field. */
export type ClientFieldName = keyof typeof clientFields

type ValueOf<Field extends ClientField> = Field extends { kind: 'integer' }
  ? number
  : Field extends { kind: 'texts' | 'urls' }
    ? readonly string[]
    : Field extends { kind: 'boolean' }
      ? boolean
      : Field extends { kind: 'choice'; choices: readonly (infer Choice)[] }
        ? Choice
        : string

/** A client's metadata document; fields that were never set are absent. */
export type ClientMetadata = { readonly [Name in ClientFieldName]?: ValueOf<(typeof clientFields)[Name]> }

/** Every field with its name, in the order of the table. */
export const clientFieldEntries = Object.entries(clientFields) as [ClientFieldName, ClientField][]

/** Whether clients may register a field only where OpenID Connect is on. */
export function isOpenidField(name: ClientFieldName): boolean {
  const field: ClientField = clientFields[name]
  return field.openid === true
}

/** Picks the fields of the table from an object, in the order of the table. */
export function fieldsIn(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const found = clientFieldEntries.map(([name]) => [name, values[name]])
  return Object.fromEntries(found.filter(([, value]) => value !== undefined))
}

/** In characters. */
export const longestUrl = 2_000

/** The URL parser takes more in a host, such as `*`. */
const webOrigin = /^https?:\/\/([a-z0-9._-]+|\[[0-9a-f:.]+\])(:\d+)?$/

/** Whether a text is an http or https origin in the one form that browsers send (RFC 6454 section 6.2). */
export function isWebOrigin(text: string): boolean {
  return text.length <= longestUrl && webOrigin.test(text) && URL.parse(text)?.origin === text
}

/** The origins of web pages, each once. Only http and https have one; that of any other address is `null`, which many pages share. */
export function webOriginsOf(addresses: readonly string[]): string[] {
  const origins = addresses.flatMap((address) => {
    const url = URL.parse(address)
    return url && ['https:', 'http:'].includes(url.protocol) ? [url.origin] : []
  })
  return [...new Set(origins)]
}

/** The JSON Schema of a field's value. An empty text or list counts as absent, so it has no least length. */
export function schemaOf(field: ClientField) {
  switch (field.kind) {
    case 'text':
      return { type: 'string', maxLength: field.maxLength }
    case 'texts':
      return {
        type: 'array',
        maxItems: field.maxItems,
        items: { type: 'string', minLength: 1, maxLength: field.maxLength },
      }
    case 'url':
      return { type: 'string', format: 'uri', maxLength: longestUrl }
    case 'urls':
      return {
        type: 'array',
        maxItems: field.maxItems,
        items: { type: 'string', minLength: 1 },
      }
    case 'boolean':
      return { type: 'boolean' }
    case 'choice':
      return { type: 'string', enum: [...field.choices] }
    case 'integer':
      return { type: 'integer', minimum: field.minimum, maximum: field.maximum }
  }
}
