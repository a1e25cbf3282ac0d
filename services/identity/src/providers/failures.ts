import { AuthorizationResponseError, ResponseBodyError } from 'openid-client'
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
    return new ProviderFailure(kind, `the provider sent the error ${codeOf(error.error)}`)
  }
  if (error instanceof ResponseBodyError)
    return new ProviderFailure('bad answer', `the provider refused: ${codeOf(error.error)}`)
  const { code, name } = error as { code?: unknown; name?: unknown }
  const claim = claimOf(error)
  return new ProviderFailure('bad answer', `${codeOf(code ?? name)}${claim ? ` of ${claim}` : ''}`)
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
