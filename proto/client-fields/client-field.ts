import type { ClientFieldRule } from './field-rule.ts'

/** The party that decided something about a client. */
export type ClientDecider = 'administrator' | 'registration'

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
  /** Whether a client may register it only where a method of OAUTH2_CLIENT_AUTH_METHODS needs keys. */
  readonly keys?: true
  /** The same for `tls_client_auth`, which needs the name of a certificate's subject. */
  readonly certificate?: true
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
