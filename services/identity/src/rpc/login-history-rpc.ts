import { Refusal } from '@gatehouse/kit/errors'
import { handlersOf } from '@gatehouse/kit/rpc/rpc-server'
import {
  IdentityServiceService,
  type LoginAttempt as LoginAttemptMessage,
  LoginOutcome,
} from '@gatehouse/proto/identity/v1'
import {
  countLogins,
  type LoginAttempt,
  type LoginFilter,
  type LoginHistoryStore,
  listLogins,
} from '../logins/login-history.ts'
import { getLoginProblems, type LoginProblemDeps } from '../logins/login-problem.ts'

/** The RPCs with which administrators view login attempts. */
export function loginHistoryRpcs(
  store: Pick<LoginHistoryStore, 'list' | 'countSince'>,
  problemDeps: Omit<LoginProblemDeps, 'loginHistory'>,
) {
  return handlersOf(IdentityServiceService, {
    async getLoginProblems({ userId }) {
      const found = await getLoginProblems(userId, { ...problemDeps, loginHistory: store })
      return {
        problems: found.problems,
        lastFailures: found.lastFailures.map(attemptMessage),
      }
    },

    async listLogins({ outcome, ...request }) {
      const { items, ...page } = await listLogins({ ...request, outcome: outcomeOf(outcome) }, store)
      return { logins: items.map(attemptMessage), ...page }
    },

    async countLogins(request) {
      const minutes = await countLogins(request, store)
      return {
        minutes: minutes.map(({ time, succeeded, failed }) => ({
          time,
          succeeded: BigInt(succeeded),
          failed: BigInt(failed),
        })),
      }
    },
  })
}

function outcomeOf(outcome: LoginOutcome): LoginFilter['outcome'] {
  switch (outcome) {
    case LoginOutcome.LOGIN_OUTCOME_UNSPECIFIED:
      return undefined
    case LoginOutcome.LOGIN_OUTCOME_SUCCEEDED:
      return 'succeeded'
    case LoginOutcome.LOGIN_OUTCOME_FAILED:
      return 'failed'
    default:
      throw new Refusal('invalid_request', 'outcome is invalid.')
  }
}

function attemptMessage({ id, at, ...attempt }: LoginAttempt): LoginAttemptMessage {
  return { ...attempt, loginId: id, time: at }
}
