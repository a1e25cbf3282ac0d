import { AuthorizationResponseError, ResponseBodyError, WWWAuthenticateChallengeError } from 'openid-client'
import { ProviderFailure } from './social-provider.ts'

/** Error codes for a person who denied the login or may not log in (RFC 6749; OpenID Connect Core section 3.1.2.6). */
const denials: ReadonlySet<string> = new Set([
  'access_denied',
  'consent_required',
  'interaction_required',
  'login_required',
  'account_selection_required',
])

/** Error codes for a provider that cannot answer now (RFC 6749 section 4.1.2.1). */
const outages: ReadonlySet<string> = new Set(['temporarily_unavailable', 'server_error'])

/** Codes of Keycloak for a wrong secret, with the status 401: those of its token endpoint and of the one for pushed authorization requests. */
const wrongClient: ReadonlySet<string> = new Set(['unauthorized_client', 'invalid_request'])

/**
 * Translates the error of a failed login step. It keeps only codes and claim names: the error itself contains tokens, and
 * text that the provider or somebody else chose.
 * @param error the error that openid-client threw
 */
export function toProviderFailure(error: unknown): ProviderFailure {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ProviderFailure) return cause
  }
  if (error instanceof AuthorizationResponseError) {
    if (denials.has(error.error)) return new ProviderFailure('denied', error.error)
    const kind = outages.has(error.error) ? 'unreachable' : 'bad answer'
    return new ProviderFailure(kind, `the provider sent the error ${withCheck(codeOf(error.error))}`)
  }
  if (error instanceof ResponseBodyError)
    return new ProviderFailure(
      'bad answer',
      `the provider refused: ${withCheck(codeOf(error.error), error.status)}`,
    )
  if (error instanceof WWWAuthenticateChallengeError)
    return new ProviderFailure('bad answer', `the provider refused: ${withCheck(challengeOf(error))}`)
  const { code, name } = error as { code?: unknown; name?: unknown }
  const claim = claimOf(error)
  return new ProviderFailure('bad answer', `${codeOf(code ?? name)}${claim ? ` of ${claim}` : ''}`)
}

/**
 * The code of a challenge. Without one it is invalid_client, as the token endpoint challenges a client that it does not know
 * (RFC 6749 section 5.2); the userinfo endpoint gives a code to everybody who presents a token (RFC 6750 section 3.1).
 */
function challengeOf({ cause, status }: WWWAuthenticateChallengeError): string {
  const code = cause.map(({ parameters }) => parameters.error).find((one) => one !== undefined)
  return codeOf(code ?? (status === 401 ? 'invalid_client' : undefined))
}

/** A code (RFC 6749 sections 4.1.2.1 and 5.2), with what to check because of it. */
function withCheck(code: string, status?: number): string {
  if (code === 'invalid_client' || (status === 401 && wrongClient.has(code)))
    return `${code} (check the client id, and the secret or the key)`
  return code === 'invalid_scope' ? `${code} (check the scopes)` : code
}

/** The value if it looks like an error code. */
function codeOf(value: unknown): string {
  return typeof value === 'string' && /^\w{1,60}$/.test(value) ? value : 'an unknown error'
}

/** The claim for which openid-client refused an id_token. */
function claimOf(error: unknown): string | undefined {
  const claim = (error as { cause?: { cause?: { claim?: unknown } } }).cause?.cause?.claim
  return typeof claim === 'string' ? codeOf(claim) : undefined
}
