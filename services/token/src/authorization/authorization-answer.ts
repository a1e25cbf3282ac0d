import { Refusal, toRefusal } from '@gatehouse/kit/errors'
import type { Logger } from '@gatehouse/kit/telemetry/log'
import { ClientChanged } from '../clients/client-change.ts'
import { type ActingLogin, keepsSession, sessionGrantOf } from '../openid/session-grant.ts'
import { type CodeCreationDeps, createCode } from './authorization-code.ts'
import type { ClientsRequest, JudgedRequest } from './authorization-request.ts'
import type { AuthorizingUser } from './next-step.ts'
import type { OpenidRequest } from './openid-request.ts'

/** The answer to the client (RFC 6749 section 4.1.2). */
export type AuthorizationResponse = {
  clientId: string
  redirectUri: string
  /** undefined when the client sent none. */
  state: string | undefined
  /** Whether it goes in a form; otherwise in the query of a redirect. */
  formPost: boolean
} & ({ code: string } | { failure: Refusal })

/** Where and how the answer to a request goes. */
export function responseTo({
  grant: { clientId },
  redirectUri,
  state,
  openid,
}: Pick<JudgedRequest, 'grant' | 'redirectUri' | 'state' | 'openid'>) {
  return { clientId, redirectUri, state, formPost: openid?.responseMode === 'form_post' }
}

/** The same for a request with faults: an error goes the way that the client asked for, if it can. */
export function responseToFaulty(
  { clientId, redirectUri, state, openid }: ClientsRequest,
  rules: { openid: { formPost: boolean } | undefined },
) {
  const asked = rules.openid?.formPost === true && openid.response_mode === 'form_post'
  return { clientId, redirectUri, state, formPost: asked && takesForms(redirectUri) }
}

/** Apps receive the addresses of their schemes, but no forms. */
const takesForms = (redirectUri: string) => /^https?:/i.test(redirectUri)

/** @throws Refusal invalid_request when a form is asked for, and none can be sent to the redirect URI */
export function checkResponseMode(redirectUri: string, openid: OpenidRequest | undefined): void {
  if (openid?.responseMode !== 'form_post' || takesForms(redirectUri)) return
  throw new Refusal('invalid_request', 'The response_mode form_post needs an http or https redirect_uri.')
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
 * @param flowId undefined when the request did not have to wait
 * @param acting the user, and their login that counts for the request
 * @throws Refusal invalid_request when the flow is unknown, expired or already answered; ClientChanged
 */
export async function answerWithCode(
  request: JudgedRequest,
  flowId: string | undefined,
  { user, login }: { user: AuthorizingUser; login: ActingLogin },
  deps: CodeCreationDeps & { log: Logger },
): Promise<AuthorizationResponse> {
  const { grant, openid } = request
  const response = responseTo(request)
  try {
    const keeps = keepsSession({ openid, organizationId: grant.organizationId, login })
    const session = keeps ? sessionGrantOf(grant.scope, openid, user, login) : undefined
    const code = await createCode({ ...request, grant: { ...grant, session } }, flowId, user, deps)
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
