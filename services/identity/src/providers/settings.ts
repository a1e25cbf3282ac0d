/** A provider, and this server as its client. */
export type ProviderSettings = {
  clientId: string
  clientSecret: string
  redirectUri: string
}

/** A claim's value if it is a string, else an empty string. */
export function textOf(claim: unknown): string {
  return typeof claim === 'string' ? claim : ''
}

/**
 * An account's display name.
 * @param email an address that the provider has verified, or empty
 */
export function titleOf(name: string, email: string): string {
  if (name === '' || email === '') return name || email
  return `${name} (${email})`
}
