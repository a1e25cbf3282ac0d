/** A method by which clients authenticate (RFC 7591 section 2), with everything about it that several processes need. */
export type ClientAuthenticationDefinition = {
  /** The thing that this server keeps to compare with; `nothing` where a client only names itself (RFC 6749 section 2.1). */
  readonly keeps: 'secret' | 'nothing'
  /** The name of the method in an export of Keycloak. */
  readonly keycloak?: string
}

/** Every method, by its name in metadata. */
export const clientAuthenticationMethods = {
  client_secret_basic: { keeps: 'secret', keycloak: 'client-secret' },
  client_secret_post: { keeps: 'secret' },
  // Only where OAUTH2_PUBLIC_CLIENTS_ENABLED allows it.
  none: { keeps: 'nothing' },
} as const satisfies Record<string, ClientAuthenticationDefinition>

/** The name of a method: a value of `token_endpoint_auth_method`. */
export type ClientAuthenticationMethod = keyof typeof clientAuthenticationMethods

/** The names of all methods. */
export const authenticationMethods = Object.keys(clientAuthenticationMethods) as ClientAuthenticationMethod[]

/** The method of a client that names none (RFC 7591 section 2). */
export const defaultAuthenticationMethod = 'client_secret_basic' satisfies ClientAuthenticationMethod

/** The method of a client that has nothing to prove itself with. */
export const publicAuthenticationMethod = 'none' satisfies ClientAuthenticationMethod

/**
 * The methods of an installation.
 * @param publicClients whether clients that prove nothing are allowed (OAUTH2_PUBLIC_CLIENTS_ENABLED)
 */
export function enabledAuthenticationMethods(publicClients: boolean): ClientAuthenticationMethod[] {
  return authenticationMethods.filter((method) => publicClients || !isPublicMethod(method))
}

/** Whether the clients of a method prove nothing. Those of an unknown method count as others that do. */
export function isPublicMethod(method: string): boolean {
  return definitionOf(method)?.keeps === 'nothing'
}

/** Whether the clients of a method have a secret. */
export function hasSecret(method: string): boolean {
  return definitionOf(method)?.keeps === 'secret'
}

function definitionOf(method: string): ClientAuthenticationDefinition | undefined {
  return Object.hasOwn(clientAuthenticationMethods, method)
    ? clientAuthenticationMethods[method as ClientAuthenticationMethod]
    : undefined
}
