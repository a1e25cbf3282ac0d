/** A method by which clients authenticate (RFC 7591 section 2), with everything about it that several processes need. */
export type ClientAuthenticationDefinition = {
  /**
   * How its clients prove who they are: this server compares a secret with its digest, verifies by a key, or compares the subject of a
   * certificate. `nothing` where a client only names itself: a public one (RFC 6749 section 2.1). All others are confidential.
   */
  readonly keeps: 'secret' | 'keys' | 'subject' | 'nothing'
  /** Its parameters in a client's form besides client_id, each with a description. */
  readonly parameters: Readonly<Record<string, string>>
  /** Its security scheme in the OpenAPI document, which has none for parameters of a form. */
  readonly scheme?: { readonly name: string; readonly type: 'http'; readonly scheme: string }
  /** Whether its clients show a certificate in TLS, for which the gateway needs a way to learn it (RFC 8705). */
  readonly mutualTls?: boolean
  /** A remark for people who choose the method of a client; absent where its name says enough. */
  readonly remark?: string
  /** Stands before the others in discovery. */
  readonly first?: boolean
  /** The name of the method in an export of Keycloak. */
  readonly keycloak?: string
}

/** The type of an assertion that is a JWT (RFC 7523 section 2.2). */
export const jwtBearerAssertion = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/** The longest lifetime of an assertion, and how far the clocks may be apart; in seconds. */
export const assertionTimes = { longest: 300, skew: 10 } as const

/** The longest assertion, in characters. */
export const longestAssertion = 8_192

/**
 * The code of an item of a batch that would have to wait for the keys of its client at somebody else's server. Nobody outside gets it: the
 * item comes once more, in a call of its own.
 */
export const keysNeeded = 'keys_needed'

/** Every method, by its name in metadata. To add one, write its entry here and its module in services/token/src/clients/methods. */
export const clientAuthenticationMethods = {
  client_secret_basic: {
    keeps: 'secret',
    parameters: {},
    scheme: { name: 'clientSecretBasic', type: 'http', scheme: 'basic' },
    keycloak: 'client-secret',
  },
  client_secret_post: {
    keeps: 'secret',
    parameters: { client_secret: 'The client’s secret, unless it uses HTTP Basic authentication.' },
    // As ever: the answers of the profile `interface` stay as they are, byte for byte.
    first: true,
  },
  private_key_jwt: {
    keeps: 'keys',
    parameters: {
      client_assertion:
        'A JWT that the client signed about itself (RFC 7523 section 2.2), instead of a secret.',
      client_assertion_type: `\`${jwtBearerAssertion}\`, with \`client_assertion\`.`,
    },
    remark: '`private_key_jwt` for a client that signs with a key of its own',
  },
  tls_client_auth: {
    keeps: 'subject',
    mutualTls: true,
    parameters: {},
    remark: '`tls_client_auth` for a client with a certificate of an authority',
  },
  self_signed_tls_client_auth: {
    keeps: 'keys',
    mutualTls: true,
    parameters: {},
    remark: '`self_signed_tls_client_auth` for a client with a certificate of its own',
  },
  // Only where OAUTH2_PUBLIC_CLIENTS_ENABLED allows it.
  none: {
    keeps: 'nothing',
    parameters: {},
    remark: '`none` for a public client, if those are switched on',
  },
} as const satisfies Record<string, ClientAuthenticationDefinition>

/** The name of a method: a value of `token_endpoint_auth_method`. */
export type ClientAuthenticationMethod = keyof typeof clientAuthenticationMethods

/** The names of all methods. */
export const authenticationMethods = Object.keys(clientAuthenticationMethods) as ClientAuthenticationMethod[]

const definitions = Object.values<ClientAuthenticationDefinition>(clientAuthenticationMethods)

/** The parameters of all methods in a client's form, each with its description. */
export const authenticationParameters: Readonly<Record<string, string>> = {
  client_id: 'The client’s id, unless it uses HTTP Basic authentication.',
  ...Object.assign({}, ...definitions.map(({ parameters }) => parameters)),
}

/** The methods that have a parameter of `authenticationParameters`; none for one that every client may send. */
export function methodsWithParameter(parameter: string): ClientAuthenticationMethod[] {
  return authenticationMethods.filter((method) =>
    Object.hasOwn(clientAuthenticationMethods[method].parameters, parameter),
  )
}

/** The security schemes of the methods in the OpenAPI document. */
export const authenticationSchemes = definitions.flatMap(({ scheme }) => scheme ?? [])

/** The method of a client that names none (RFC 7591 section 2). */
export const defaultAuthenticationMethod = 'client_secret_basic' satisfies ClientAuthenticationMethod

const defaultDefinition: ClientAuthenticationDefinition =
  clientAuthenticationMethods[defaultAuthenticationMethod]

/** The method of a client that has nothing to prove itself with. */
export const publicAuthenticationMethod = 'none' satisfies ClientAuthenticationMethod

/** A description of the field `token_endpoint_auth_method`, for people. */
export const authenticationMethodRemarks = `${[
  `By default \`${defaultAuthenticationMethod}\``,
  ...definitions.flatMap(({ remark }) => remark ?? []),
].join('; ')}.`

/** The values of the variables that say which methods are on. */
export type AuthenticationMethodValues = {
  /** The methods by which clients may prove who they are, separated by spaces. */
  OAUTH2_CLIENT_AUTH_METHODS: string
  /** Whether clients that prove nothing are allowed. */
  OAUTH2_PUBLIC_CLIENTS_ENABLED: boolean
}

/** The methods of an installation, in the order of the table. */
export function enabledAuthenticationMethods({
  OAUTH2_CLIENT_AUTH_METHODS: proving,
  OAUTH2_PUBLIC_CLIENTS_ENABLED: publicClients,
}: AuthenticationMethodValues): ClientAuthenticationMethod[] {
  const on = new Set(proving.split(' '))
  return authenticationMethods.filter((method) => (isPublicMethod(method) ? publicClients : on.has(method)))
}

/** The methods of an installation in the order of discovery. @param enabled those of enabledAuthenticationMethods */
export function advertisedAuthenticationMethods(
  enabled: readonly ClientAuthenticationMethod[],
): ClientAuthenticationMethod[] {
  const rank = (method: string) => Number(definitionOf(method)?.first ?? false)
  return enabled.toSorted((one, other) => rank(other) - rank(one))
}

/** Whether a text is the name of a method. */
export function isAuthenticationMethod(text: string): text is ClientAuthenticationMethod {
  return Object.hasOwn(clientAuthenticationMethods, text)
}

/** Whether the clients of a method prove nothing. Those of an unknown method count as others that do. */
export function isPublicMethod(method: string): boolean {
  return definitionOf(method)?.keeps === 'nothing'
}

/** Whether the clients of a method have a secret. */
export function hasSecret(method: string): boolean {
  return definitionOf(method)?.keeps === 'secret'
}

/** Whether the clients of a method sign with keys. */
export function hasKeys(method: string): boolean {
  return definitionOf(method)?.keeps === 'keys'
}

/** Whether the clients of a method sign assertions (RFC 7521 section 4.2). */
export function signsAssertions(method: string): boolean {
  return Object.hasOwn(definitionOf(method)?.parameters ?? {}, 'client_assertion')
}

/** Whether the clients of a method show a certificate in TLS (RFC 8705). */
export function isMutualTls(method: string): boolean {
  return definitionOf(method)?.mutualTls === true
}

/** Whether the clients of two methods prove themselves alike. An unknown method counts as the default, which replaces it. */
export function proveAlike(one: string, other: string): boolean {
  const [first, second] = [one, other].map((method) => definitionOf(method) ?? defaultDefinition)
  return first?.keeps === second?.keeps
}

/** Why a client did not authenticate, each reason with a remark for people, or an empty one where its name says enough. */
export const authenticationFailureReasons = {
  wrong_secret: '',
  expired_secret: 'one that was replaced',
  no_secret: '',
  no_assertion: 'it must sign one with its key',
  wrong_assertion: 'not signed with a key of the client, or not for this server',
  expired_assertion: 'or not valid yet, or for longer than five minutes',
  replayed_assertion: 'one that was used before',
  keys_unreachable: 'the keys at its `jwks_uri` could not be read',
  no_certificate: 'it must show one in TLS',
  wrong_certificate: 'not that of the client',
  expired_certificate: 'or not valid yet',
  untrusted_certificate: 'not of an authority in OAUTH2_CLIENT_CERTIFICATE_CA, or not for clients',
  method_off: 'OAUTH2_CLIENT_AUTH_METHODS does not have its method',
  public_client: 'it has no secret, so it cannot authenticate',
  disabled: 'the secret is right',
} as const satisfies Record<string, string>

/** The name of a reason. */
export type AuthenticationFailureReason = keyof typeof authenticationFailureReasons

function definitionOf(method: string): ClientAuthenticationDefinition | undefined {
  return isAuthenticationMethod(method) ? clientAuthenticationMethods[method] : undefined
}
