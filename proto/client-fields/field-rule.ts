/** The kinds of names by which a certificate names its subject (RFC 8705 section 2.1.2). */
export type SubjectKind = 'dn' | 'dns' | 'uri' | 'ip' | 'email'

/** The rule for a field's value. */
export type ClientFieldRule =
  /** With `resource`, the identifier of a resource server; with `organization`, the id of an organization; with `subject`, a name in a certificate. */
  | {
      readonly kind: 'text'
      readonly maxLength: number
      readonly resource?: true
      readonly organization?: true
      readonly subject?: SubjectKind
    }
  | { readonly kind: 'texts'; readonly maxItems: number; readonly maxLength: number }
  /** A text for people, without white space around it. */
  | { readonly kind: 'name'; readonly maxLength: number }
  /** Roles at resource servers. */
  | { readonly kind: 'roles'; readonly maxItems: number }
  /** Scope values with one space between two (RFC 6749 section 3.3). */
  | { readonly kind: 'scope'; readonly maxLength: number }
  | { readonly kind: 'grants' }
  /** Of a page, or with `called`, of an endpoint that this server calls. */
  | { readonly kind: 'url'; readonly called?: true }
  /** Addresses to which browsers are redirected, or with `origins`, origins of pages (RFC 6454). */
  | { readonly kind: 'urls'; readonly maxItems: number; readonly origins?: true }
  /** Addresses to which codes are sent (RFC 6749 section 3.1.2). */
  | { readonly kind: 'redirects'; readonly maxItems: number }
  /** A set of public keys (RFC 7517 section 5). */
  | { readonly kind: 'keys'; readonly maxItems: number }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'choice'; readonly choices: readonly string[] }
  | {
      readonly kind: 'integer'
      readonly minimum: number
      readonly maximum: number
      readonly unit: 'seconds'
    }
