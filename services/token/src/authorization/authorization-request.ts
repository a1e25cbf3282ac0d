import { Refusal } from '@gatehouse/kit/errors'
import { isSecret } from '@gatehouse/kit/formats'
import type { AuthorityScope } from '@gatehouse/proto/claims'
import { isDocumentClientId } from '@gatehouse/proto/client-id-documents'
import type { Authority } from '../authority/authority.ts'
import { type Client, type ClientAuthenticationDeps, isPublic } from '../clients/client-authentication.ts'
import { ClientChanged } from '../clients/client-change.ts'
import { isRegisteredRedirectUri, staysOnDevice } from '../clients/redirect-uri.ts'
import {
  grantTargetScope,
  type ResourceIndicators,
  requestedOrDefault,
  type Target,
} from '../clients/resource-indicators.ts'
import { asksForOpenid, scopeWords } from '../clients/scope.ts'
import { readOrganization } from '../organizations/organization-of-request.ts'
import { type GrantRecord, newGrant } from '../tokens/grant-record.ts'
import { type OpenidRequest, openidRequestOf, type ReadHint } from './openid-request.ts'

/** An authorization request as it was sent (RFC 6749 section 4.1.1, RFC 7636 section 4.3). */
export type SentRequest = {
  responseType?: string | undefined
  clientId?: string | undefined
  redirectUri?: string | undefined
  /** Space-separated. Without it, the client's registered scope is meant. */
  scope?: string | undefined
  codeChallenge?: string | undefined
  codeChallengeMethod?: string | undefined
  /** The identifiers of resource servers (RFC 8707 section 2.1). */
  resources: readonly string[]
  /** The id or the slug of an organization. */
  organization?: string | undefined
  /** Returned to the client unchanged; undefined when it sent none. */
  state: string | undefined
  /** A request that was pushed, which has all other parameters (RFC 9126 section 4). */
  requestUri?: string | undefined
  /** The parameters of OpenID Connect (Core section 3.1.2.1) by name. */
  openid: Readonly<Record<string, string>>
}

/** A request of a known client, with a redirect URI that it has registered. */
export type ClientsRequest = SentRequest & { clientId: string; redirectUri: string }

/** Whether the user is asked for consent: never, unless they have already allowed the scope, or each time. */
export type ConsentRule = 'not_needed' | 'remembered' | 'each_time'

/** A request that was judged to be valid: all that is stored while it waits for its user, and what that means now. */
export type JudgedRequest = {
  /** The grant that the client gets if the user agrees. It has no user, no session and no organization yet. */
  grant: GrantRecord
  /** The id or the slug of the organization that the client named; undefined for none. */
  namedOrganization: string | undefined
  redirectUri: string
  /** Returned to the client unchanged; undefined when it sent none. */
  state: string | undefined
  /** Of the method S256; undefined when the client need not use PKCE and did not. */
  codeChallenge: string | undefined
  /** As far as the client may have it now; undefined where OpenID Connect is off. */
  openid: OpenidRequest | undefined
  client: Client
  target: Target
  /** The part of the scope that the client gets only when the user agrees, space-separated; empty for none. */
  beyondRegistered: string
  /** The scopes that give claims about groups, roles and organizations. */
  claimScopes: readonly AuthorityScope[]
  consent: ConsentRule
}

/** The needs of judging a request. */
export type AuthorizationRequestDeps = Pick<ClientAuthenticationDeps, 'findClient'> & {
  /** OAUTH2_PUBLIC_CLIENTS_ENABLED. */
  publicClientsEnabled: boolean
  resourceIndicators: Pick<ResourceIndicators, 'targetOf'>
  authority: Pick<Authority, 'concerns' | 'judge' | 'claimScopes' | 'organizations'>
  /** undefined where clients may not ask for more scope than they registered. */
  scopeWidening: ScopeWidening | undefined
  /** undefined where OpenID Connect is off. */
  openid: OpenidRules | undefined
}

/** Gives clients that registered themselves more scope. */
export type ScopeWidening = {
  /** @throws Refusal invalid_scope when the client may not have this scope too */
  check(clientId: string, scope: string): Promise<void>
  /** Adds this scope to what the client has registered. @throws Refusal invalid_scope */
  widen(clientId: string, scope: string): Promise<void>
}

/** How authorization requests of OpenID Connect are treated. */
export type OpenidRules = {
  readHint: ReadHint
  /** Whether clients may ask for the response mode form_post. */
  formPost: boolean
  /** Whether errors go to the redirect URIs of clients that an administrator made. */
  redirectsErrors: boolean
}

/**
 * Finds the client of an authorization request and checks its redirect URI. The errors are shown in the browser and never
 * sent to the redirect URI (RFC 6749 section 4.1.2.1).
 * @returns the client, and the redirect URI
 * @throws Refusal invalid_request, invalid_client
 */
export async function findRequestingClient(
  { clientId, redirectUri }: Pick<SentRequest, 'clientId' | 'redirectUri'>,
  deps: Pick<AuthorizationRequestDeps, 'findClient'>,
): Promise<{ client: Client; redirectUri: string }> {
  if (!clientId) throw missing('client_id')
  const client = await deps.findClient(clientId)
  if (client === undefined || client.disabled) {
    throw new Refusal('invalid_client', 'No client has this client_id.')
  }
  if (!redirectUri) throw missing('redirect_uri')
  if (!isRegisteredRedirectUri(redirectUri, client.redirectUris, isDocumentClientId(clientId))) {
    throw new Refusal('invalid_request', 'The redirect_uri is not registered for this client.')
  }
  return { client, redirectUri }
}

/**
 * Judges the rest of an authorization request before the user is asked to log in. By default its errors are shown in the
 * browser too: where anybody may register a client, redirects would make this server an open redirector (RFC 9700 section
 * 4.11.2).
 * @param openid its parameters of OpenID Connect, read; undefined where that is off
 * @throws Refusal invalid_request, unauthorized_client, invalid_scope, invalid_target
 */
export async function judgeRequest(
  request: Omit<ClientsRequest, 'openid'>,
  openid: OpenidRequest | undefined,
  client: Client,
  deps: AuthorizationRequestDeps,
): Promise<JudgedRequest> {
  if (!client.grantTypes.has('authorization_code')) {
    throw new Refusal('unauthorized_client', 'The client is not registered for the grant authorization_code.')
  }
  if (isPublic(client) && !deps.publicClientsEnabled) {
    throw new Refusal('unauthorized_client', 'Clients without a secret are switched off on this server.')
  }
  checkResponseType(request.responseType, deps)
  const { scope: requested = '', resources: named, redirectUri, state, codeChallenge } = request
  if (codeChallenge || request.codeChallengeMethod || mustSendChallenge(client, deps)) checkChallenge(request)
  else checkNonce(requested, openid, client)
  const beyondRegistered = await scopeBeyondRegistered(requested, client, deps)
  const asking = { ...client, scope: `${client.scope} ${beyondRegistered}`.trim() }
  const resources = requestedOrDefault({ resources: named, scope: requested }, client)
  const target = await deps.resourceIndicators.targetOf(resources, asking)
  const scope = grantTargetScope(requested, target, asking)
  const claimScopes = deps.authority.claimScopes()
  return {
    grant: newGrant(client, scope, target),
    namedOrganization: readOrganization(request.organization),
    ...{ redirectUri, state, codeChallenge, client, target, beyondRegistered, claimScopes },
    openid: openid && openidRequestOf(openid, { ...asking, claimScopes }),
    consent: consentFor(client, redirectUri),
  }
}

/**
 * The scope that a client asks for besides its registered one, space-separated. Clients of administrators, first-party ones and those
 * with a metadata document may ask for nothing else.
 * @throws Refusal invalid_scope when the client may not have it
 */
async function scopeBeyondRegistered(
  requested: string,
  { clientId, scope, createdBy, firstParty }: Client,
  { scopeWidening }: AuthorizationRequestDeps,
): Promise<string> {
  const mayWiden = createdBy === 'registration' && !firstParty && !isDocumentClientId(clientId)
  if (!scopeWidening || requested === '' || !mayWiden) return ''
  const registered = new Set(scope.split(' '))
  const beyond = scopeWords(requested)
    .filter((word) => !registered.has(word))
    .join(' ')
  if (beyond !== '') await scopeWidening.check(clientId, beyond)
  return beyond
}

/** Whether an error of a request goes to the client's redirect URI (RFC 6749 section 4.1.2.1). */
export function mayRedirect(
  error: unknown,
  client: Client,
  { openid }: Pick<AuthorizationRequestDeps, 'openid'>,
): error is Refusal {
  if (!(error instanceof Refusal) || error instanceof ClientChanged) return false
  return openid?.redirectsErrors === true && client.createdBy === 'administrator'
}

function missing(parameter: string): Refusal {
  return new Refusal('invalid_request', `The parameter ${parameter} is missing.`)
}

/** @throws Refusal invalid_request, unsupported_response_type */
export function checkResponseType(
  responseType: string | undefined,
  { openid }: Pick<AuthorizationRequestDeps, 'openid'>,
): void {
  if (!responseType) throw missing('response_type')
  if (responseType === 'code') return
  // RFC 6749 section 4.1.2.1 has a code for that. Plain OAuth 2.0 here keeps the one that it always had.
  throw openid
    ? new Refusal('unsupported_response_type')
    : new Refusal('invalid_request', 'The response_type must be code.')
}

/** Whether a client must use PKCE (RFC 7636): each, except confidential ones that an administrator exempted. */
function mustSendChallenge(client: Client, { openid }: AuthorizationRequestDeps): boolean {
  return openid === undefined || isPublic(client) || client.metadata.require_pkce !== false
}

function checkChallenge({
  codeChallenge,
  codeChallengeMethod,
}: Pick<SentRequest, 'codeChallenge' | 'codeChallengeMethod'>): void {
  if (!codeChallenge) {
    throw new Refusal('invalid_request', 'The parameter code_challenge is missing: PKCE is required.')
  }
  // Without a method the default is `plain` (RFC 7636 section 4.3), which gives no protection when the request is read.
  if (codeChallengeMethod !== 'S256') {
    throw new Refusal('invalid_request', 'The code_challenge_method must be sent, and be S256.')
  }
  if (!isSecret(codeChallenge)) {
    throw new Refusal(
      'invalid_request',
      'The code_challenge must be a SHA-256 in base64url without padding: 43 characters.',
    )
  }
}

/**
 * RFC 9700 section 2.1.1: without a code challenge a nonce must protect the code, which only OpenID Connect has.
 * @throws Refusal invalid_request
 */
function checkNonce(scope: string, openid: OpenidRequest | undefined, client: Client): void {
  if (client.metadata.require_nonce === false) return
  if (asksForOpenid({ scope }, client) && openid?.nonce) return
  throw new Refusal(
    'invalid_request',
    'Send a code_challenge (PKCE), or the scope openid and a nonce: one of them must protect the code.',
  )
}

function consentFor(client: Client, redirectUri: string): ConsentRule {
  // Nobody here has checked who it is, and its document may change at any time.
  if (isDocumentClientId(client.clientId)) return 'each_time'
  if (client.firstParty) return 'not_needed'
  // Another program on the device can impersonate this client (RFC 8252 section 8.6).
  return isPublic(client) && staysOnDevice(redirectUri) ? 'each_time' : 'remembered'
}
