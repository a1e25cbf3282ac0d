import { Refusal } from '@gatehouse/kit/errors'
import { answerEach } from '@gatehouse/kit/rpc/batch-items'
import { handlersOf } from '@gatehouse/kit/rpc/rpc-server'
import {
  type AuthorizationResponse as AuthorizationResponseMessage,
  type AuthorizationStep as AuthorizationStepMessage,
  type AuthorizingUser as AuthorizingUserMessage,
  type BeginAuthorizationRequest,
  ConsentDecision as Decision,
  type PendingAuthorization as PendingAuthorizationMessage,
  LoginReason as Reason,
  TokenServiceService,
  TokenServiceService as tokenService,
} from '@gatehouse/proto/token/v1'
import type { AuthorizationResponse } from '../authorization/authorization-answer.ts'
import {
  beginAuthorization,
  continueAuthorization,
  findAuthorization,
} from '../authorization/authorization-flow.ts'
import type { AuthorizingUser, ConsentDecision, LoginReason } from '../authorization/next-step.ts'
import type { PendingAuthorization } from '../authorization/pending-authorization.ts'
import { visitPushedRequest } from '../authorization/pushed-request.ts'
import type { AuthorizationFlowDeps, AuthorizationStep } from '../authorization/waiting-flow.ts'
import type { TokenMetrics } from '../metrics.ts'

/** The RPCs of authorization requests. */
export function authorizationRpcs(deps: AuthorizationFlowDeps, metrics: Pick<TokenMetrics, 'codeIssued'>) {
  return handlersOf(TokenServiceService, {
    // Only gateways of release 0.7.0 call it.
    beginAuthorization: begin,

    async beginAuthorizations({ items }) {
      return { results: await answerEach(tokenService.beginAuthorizations, items, begin, deps.log) }
    },

    async getAuthorization({ flowId, user }) {
      const pending = await findAuthorization(flowId, deps, user && userOf(user))
      return { authorization: pending && pendingMessage(pending) }
    },

    async continueAuthorization({ flowId, user, decision, organizationChoice, ...answers }) {
      if (user === undefined) throw new Refusal('invalid_request', 'The user is missing.')
      const { accountChosen, agreedScope, afterForm } = answers
      const step = await continueAuthorization(
        flowId,
        {
          ...{ user: userOf(user), accountChosen, agreedScope, afterForm },
          decision: decisions[decision],
          organizationChoice: organizationChoice && {
            organizationId: organizationChoice.organizationId || undefined,
          },
        },
        deps,
      )
      count(step)
      return { next: stepMessage(step) }
    },
  })

  async function begin({ request, state, user, dryRun, ipAddress }: BeginAuthorizationRequest) {
    if (request === undefined) throw new Refusal('invalid_request')
    const by = { user: user && userOf(user), dryRun, ipAddress }
    const isPushed = request.requestUri !== undefined && deps.pushedRequests !== 'off'
    const begun = isPushed
      ? visitPushedRequest(request, by, deps)
      : beginAuthorization({ ...request, state }, by, deps)
    const step = await begun
    if (!dryRun) count(step)
    return { next: stepMessage(step) }
  }

  function count(step: AuthorizationStep): void {
    if (step.step === 'respond' && 'code' in step.response) metrics.codeIssued()
  }
}

const decisions: Partial<Record<Decision, ConsentDecision>> = {
  [Decision.CONSENT_DECISION_ALLOWED]: 'allowed',
  [Decision.CONSENT_DECISION_DENIED]: 'denied',
}

/** Reads a user. Gateways of release 0.7.0 know only logins by ways of the instance. */
function userOf({
  authenticatedAt,
  methods,
  connectionId,
  organizationLogins,
  memberId,
  ...user
}: AuthorizingUserMessage): AuthorizingUser {
  return {
    ...user,
    userId: memberId ?? user.userId,
    logins: {
      own: memberId === undefined ? { authenticatedAt, methods, connectionId } : undefined,
      ofOrganizations: organizationLogins?.logins ?? [],
    },
  }
}

function stepMessage(step: AuthorizationStep): AuthorizationStepMessage {
  if (step.step === 'respond') {
    return { step: { $case: 'respond', value: responseMessage(step.response) } }
  }
  return { step: { $case: pages[step.step], value: pendingMessage(step.pending) } }
}

const pages = {
  log_in: 'logIn',
  choose_organization: 'chooseOrganization',
  ask_consent: 'askConsent',
} as const

function pendingMessage({ id, loginReason, ...pending }: PendingAuthorization): PendingAuthorizationMessage {
  return { ...pending, flowId: id, loginReason: loginReasons[loginReason ?? 'nobody'] }
}

const loginReasons: Record<LoginReason, Reason> = {
  nobody: Reason.LOGIN_REASON_UNSPECIFIED,
  again: Reason.LOGIN_REASON_AGAIN,
  choose_account: Reason.LOGIN_REASON_CHOOSE_ACCOUNT,
  second_factor: Reason.LOGIN_REASON_SECOND_FACTOR,
  other_way: Reason.LOGIN_REASON_OTHER_WAY,
}

function responseMessage(response: AuthorizationResponse): AuthorizationResponseMessage {
  const { clientId, redirectUri, state, formPost } = response
  const to = { clientId, redirectUri, state, formPost }
  if ('code' in response) return { ...to, outcome: { $case: 'code', value: response.code } }
  const { code, description } = response.failure
  return { ...to, outcome: { $case: 'failure', value: { code, description } } }
}
