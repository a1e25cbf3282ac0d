import { Refusal } from '@gatehouse/kit/errors'
import { storable } from '@gatehouse/kit/storable'
import type { AuthorityScope } from '@gatehouse/proto/claims'
import type { Client } from '../clients/client-authentication.ts'
import { type DemandedContext, demandedContext } from '../openid/authentication-context.ts'
import { type ClaimsRequest, claimsWithin, readClaimsRequest } from '../openid/claims-request.ts'

const prompts = ['none', 'login', 'consent', 'select_account'] as const

/** The interaction with the user that a client asks for (OpenID Connect Core section 3.1.2.1). */
export type Prompt = (typeof prompts)[number]

/** The part of an authorization request that OpenID Connect adds (Core section 3.1.2.1). */
export type OpenidRequest = {
  /** Returned unchanged in the ID token. */
  readonly nonce?: string
  readonly prompt: readonly Prompt[]
  /** The longest time since the user logged in, in seconds. */
  readonly maxAge?: number
  /** The user name that the client expects. */
  readonly loginHint?: string
  /** The languages that the client wants the pages in (BCP 47), space-separated. */
  readonly uiLocales?: string
  /** The id of the only user whom the client wants. */
  readonly expectedUser?: string
  readonly claims?: ClaimsRequest
  /** Whether the user must prove two factors, or only if they can. */
  readonly twoFactors?: DemandedContext
  /** How the answer reaches the client; in the query of a redirect when absent. */
  readonly responseMode?: 'form_post'
}

/** Reads an ID token of this server that comes back as a hint; undefined when it is none. */
export type ReadHint = (idToken: string) => Promise<{ userId: string; clientId: string } | undefined>

/** In characters. */
const longestNonce = 1_000
const longestHint = 200

/** Parameters that this server does not take, and the error that says so (OpenID Connect Core section 3.1.2.6). */
const unsupported: Readonly<Record<string, Refusal['code']>> = {
  request: 'request_not_supported',
  request_uri: 'request_uri_not_supported',
  registration: 'registration_not_supported',
}

/**
 * Refuses parameters that this server does not take. One of them may have all others in it, `response_type` too.
 * @param sent the parameters of the request, by name
 * @throws Refusal that says which parameter is not supported
 */
export function refuseUnsupported(sent: Readonly<Record<string, string | undefined>>): void {
  for (const [name, code] of Object.entries(unsupported)) if (sent[name]) throw new Refusal(code)
}

/**
 * Reads the parameters that OpenID Connect adds to an authorization request. Those that only express a wish about the look of
 * pages other than their language (display, claims_locales) have no effect.
 * @param sent the parameters of the request, by name, which `refuseUnsupported` did not refuse; absent ones are undefined
 * @param formPost whether clients may ask for the response mode form_post
 * @throws Refusal invalid_request, login_required
 */
export async function readOpenidRequest(
  sent: Readonly<Record<string, string | undefined>>,
  { readHint, formPost }: { readHint: ReadHint; formPost: boolean },
): Promise<OpenidRequest> {
  const responseMode = readResponseMode(sent.response_mode, formPost)
  const { nonce } = sent
  if (nonce && nonce.length > longestNonce)
    throw new Refusal('invalid_request', `The nonce is longer than ${longestNonce} characters.`)
  const claims = readClaimsRequest(sent.claims)
  const twoFactors = demandedContext(sent.acr_values ?? '', claims?.id_token?.acr)
  const maxAge = readMaxAge(sent.max_age)
  const expectedUser = await readExpectedUser(sent.id_token_hint, claims, readHint)
  // A text that is cut in the middle of a character cannot be stored.
  const loginHint = sent.login_hint && storable(sent.login_hint.slice(0, longestHint))
  const uiLocales = sent.ui_locales && storable(sent.ui_locales.slice(0, longestHint))
  return {
    prompt: readPrompt(sent.prompt ?? ''),
    ...(nonce && { nonce }),
    ...(maxAge !== undefined && { maxAge }),
    ...(loginHint && { loginHint }),
    ...(uiLocales && { uiLocales }),
    ...(expectedUser !== undefined && { expectedUser }),
    ...(claims && { claims }),
    ...(twoFactors && { twoFactors }),
    ...(responseMode && { responseMode }),
  }
}

function readResponseMode(text: string | undefined, formPost: boolean): OpenidRequest['responseMode'] {
  if (!text || text === 'query') return undefined
  if (formPost && text === 'form_post') return text
  throw new Refusal('invalid_request', `The response_mode must be query${formPost ? ' or form_post' : ''}.`)
}

/**
 * The request of a client as it takes effect: with its default_max_age (OpenID Connect Dynamic Client Registration section 2), and
 * only with the claims that it may have now. Users are not asked about other claims, so the client must not get them later either,
 * when it has more scope.
 * @param asking the client with the scope that it may have, and the scopes that give claims about groups, roles and organizations
 */
export function openidRequestOf(
  { claims, ...openid }: OpenidRequest,
  {
    metadata,
    scope,
    claimScopes,
  }: Pick<Client, 'metadata' | 'scope'> & { claimScopes: readonly AuthorityScope[] },
): OpenidRequest {
  const maxAge = openid.maxAge ?? metadata.default_max_age
  return {
    ...openid,
    ...(maxAge !== undefined && { maxAge }),
    ...(claims && { claims: claimsWithin(claims, scope, claimScopes) }),
  }
}

function readPrompt(text: string): Prompt[] {
  const words = [...new Set(text.split(' ').filter((word) => word !== ''))]
  const known = words.filter((word): word is Prompt => prompts.some((prompt) => prompt === word))
  if (known.length < words.length)
    throw new Refusal('invalid_request', `The prompt must be made of ${prompts.join(', ')}.`)
  if (known.includes('none') && known.length > 1)
    throw new Refusal('invalid_request', 'The prompt none cannot be combined with others.')
  return known
}

function readMaxAge(text: string | undefined): number | undefined {
  if (!text) return undefined
  if (!/^\d{1,9}$/.test(text))
    throw new Refusal('invalid_request', 'The max_age must be a whole number of seconds.')
  return Number(text)
}

/** The user whom the hint names, or whom the client asks for by the claim `sub` (OpenID Connect Core section 5.5.1). */
async function readExpectedUser(
  hint: string | undefined,
  claims: ClaimsRequest | undefined,
  readHint: ReadHint,
): Promise<string | undefined> {
  const subject = claims?.id_token?.sub?.value
  const requested = typeof subject === 'string' ? subject : undefined
  if (!hint) return requested
  const read = await readHint(hint)
  if (read === undefined)
    throw new Refusal('invalid_request', 'The id_token_hint is not an ID token of this server.')
  if (requested !== undefined && requested !== read.userId)
    throw new Refusal('login_required', 'The id_token_hint and the requested claim sub name different users.')
  return read.userId
}
