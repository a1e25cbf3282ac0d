import type { AuthenticationEndpoint } from '../client-authentication-failure.ts'
import type { CheckedClaims } from './assertion.ts'

/** The addresses that assertions may be for. */
export type AssertionAudiences = {
  issuer: string
  /** The public address of each endpoint. */
  endpoints: Readonly<Record<AuthenticationEndpoint, string>>
}

/** The addresses of a server. @param issuer its public address */
export function assertionAudiences(issuer: string): AssertionAudiences {
  const endpoints = {
    token: `${issuer}/oauth/token`,
    introspection: `${issuer}/oauth/introspect`,
    revocation: `${issuer}/oauth/revoke`,
    'pushed request': `${issuer}/oauth/par`,
  }
  return { issuer, endpoints }
}

/**
 * Whether an assertion is for this server: for the issuer alone (RFC 10070), so that nobody else can use it here.
 * @param rule the client's `assertion_audience`: some old libraries send the address of an endpoint, or several values
 * @param endpoint the one that was asked
 */
export function acceptsAudience(
  aud: CheckedClaims['aud'],
  rule: 'issuer' | 'token_endpoint_too' | undefined,
  { issuer, endpoints }: AssertionAudiences,
  endpoint: AuthenticationEndpoint,
): boolean {
  if (rule !== 'token_endpoint_too') return aud.length === 1 && aud[0] === issuer
  const accepted = [issuer, endpoints.token, endpoints[endpoint]]
  return aud.some((one) => accepted.includes(one))
}
