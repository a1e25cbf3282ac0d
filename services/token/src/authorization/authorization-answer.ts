import { Refusal, toRefusal } from '@gatehouse/kit/errors'
import type { Logger } from '@gatehouse/kit/telemetry/log'
import { ClientChanged } from '../clients/client-change.ts'
import { sessionGrantOf } from '../openid/session-grant.ts'
import { type CodeCreationDeps, createCode } from './authorization-code.ts'
import type { CheckedRequest } from './authorization-request.ts'
import type { AuthorizingUser } from './next-step.ts'
import type { OpenidRequest } from './openid-request.ts'

/** The answer to the client (RFC 6749 section 4.1.2). */
export type AuthorizationResponse = ResponseTarget & {
  /** Whether it goes in a form; otherwise in the query of a redirect. */
  formPost: boolean
} & ({ code: string } | { failure: Refusal })

/** Where an answer goes, and what goes with it. */
type ResponseTarget = {
  clientId: string
  redirectUri: string
  /** undefined when the client sent none. */
  state: string | undefined
}

/** A request, as far as its answer depends on it. */
type Answered = ResponseTarget & { openid: Pick<OpenidRequest, 'responseMode'> | undefined }

/** Where and how the answer to a request goes. */
export function responseTo({ clientId, redirectUri, state, openid }: Answered) {
  return { clientId, redirectUri, state, formPost: openid?.responseMode === 'form_post' }
}

/** An answer without a code (RFC 6749 section 4.1.2.1). */
export function refusedResponse(request: Answered, failure: Refusal): AuthorizationResponse {
  return { ...responseTo(request), failure }
}

/** The response mode of a request that may have other faults: an error goes the way that the client asked for, if it can. */
export function answeredBy(
  responseMode: string | undefined,
  redirectUri: string,
  { openid }: { openid: { formPost: boolean } | undefined },
): Answered['openid'] {
  return openid?.formPost && responseMode === 'form_post' && takesForms(redirectUri)
    ? { responseMode }
    : undefined
}

/** Apps receive the addresses of their schemes, but no forms. */
const takesForms = (redirectUri: string) => /^https?:/i.test(redirectUri)

/** @throws Refusal invalid_request when a form is asked for, and none can be sent to the redirect URI */
export function checkResponseMode({ redirectUri, openid }: Answered): void {
  if (openid?.responseMode !== 'form_post' || takesForms(redirectUri)) return
  throw new Refusal('invalid_request', 'The response_mode form_post needs an http or https redirect_uri.')
}

/** A checked authorization request. */
export type AnswerableRequest = ResponseTarget & {
  /** The requested scope, space-separated. */
  scope: string
  /** Of the method S256; empty when the client need not use PKCE and did not. */
  codeChallenge: string
  /** The identifiers of the resource servers for which tokens will be asked. */
  resources: readonly string[]
  /** undefined where OpenID Connect is off. */
  openid: OpenidRequest | undefined
}

/** The refusal of a flow that is unknown, expired or already answered. */
export function flowEnded(): Refusal {
  return new Refusal(
    'invalid_request',
    'This page was answered already or is too old. Go back to the app and start again if it still needs access.',
  )
}

/**
 * Creates the code. The user has authorized the client by now, so failures go to the client's redirect URI (RFC 6749 section
 * 4.1.2.1).
 * @param request.id undefined when the request did not have to wait
 * @throws Refusal invalid_request when the flow is unknown, expired or already answered; ClientChanged
 */
export async function answerWithCode(
  { id, clientId, redirectUri, state, openid, ...asked }: AnswerableRequest & { id: string | undefined },
  { client }: CheckedRequest,
  user: AuthorizingUser,
  deps: CodeCreationDeps & { log: Logger },
): Promise<AuthorizationResponse> {
  const response = responseTo({ clientId, redirectUri, state, openid })
  try {
    const sessionGrant = openid && sessionGrantOf(asked.scope, openid, user)
    const grant = { ...asked, client, redirectUri, sessionGrant, flowId: id }
    const code = await createCode(grant, user, deps)
    if (code === undefined) throw flowEnded()
    return { ...response, code }
  } catch (error) {
    const failure = toRefusal(error)
    if (error instanceof ClientChanged || failure.code === 'invalid_request') throw error
    deps.log[failure.code === 'server_error' ? 'error' : 'warn'](
      { err: error, code: failure.code },
      'could not create an authorization code',
    )
    return { ...response, failure }
  }
}
