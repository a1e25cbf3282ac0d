/** Us as a client of a provider, and where it is. */
export type ProviderSettings = {
  clientId: string
  clientSecret: string
  /** Where the browser comes back. */
  redirectUri: string
  /** Where it is found, if not where everybody finds it. */
  issuer?: string | undefined
}

/** A claim that should be a text. */
export function textOf(claim: unknown): string {
  return typeof claim === 'string' ? claim : ''
}

/**
 * What to call an account for people.
 * @param email one that the provider has checked; else empty
 */
export function titleOf(name: string, email: string): string {
  if (name === '' || email === '') return name || email
  return `${name} (${email})`
}
