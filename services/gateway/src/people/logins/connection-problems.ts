import { LoginProblemKind as Kind } from '@gatehouse/proto/connection/v1'
import type { ErrorCode } from '@gatehouse/proto/errors'
import { SocialLoginProblemKind } from '@gatehouse/proto/identity/v1'
import type { Texts } from '../texts/table.ts'
import { explainProblem, problem, type SocialProblem, unknownProvider } from './social-problems.ts'

/** The problems that logins through social providers have too. */
const shared: Partial<Record<Kind, SocialLoginProblemKind>> = {
  [Kind.LOGIN_PROBLEM_KIND_UNKNOWN_LOGIN]: SocialLoginProblemKind.SOCIAL_LOGIN_PROBLEM_KIND_UNKNOWN_LOGIN,
  [Kind.LOGIN_PROBLEM_KIND_DENIED]: SocialLoginProblemKind.SOCIAL_LOGIN_PROBLEM_KIND_DENIED,
  [Kind.LOGIN_PROBLEM_KIND_UNREACHABLE]: SocialLoginProblemKind.SOCIAL_LOGIN_PROBLEM_KIND_UNREACHABLE,
  [Kind.LOGIN_PROBLEM_KIND_DISABLED]: SocialLoginProblemKind.SOCIAL_LOGIN_PROBLEM_KIND_DISABLED,
}

/** The problems of connections alone, with their codes and their texts. */
const own: Partial<Record<Kind, readonly [ErrorCode, keyof Texts['connections']['problems']]>> = {
  [Kind.LOGIN_PROBLEM_KIND_NOT_INVITED]: ['access_denied', 'notInvited'],
  [Kind.LOGIN_PROBLEM_KIND_HAS_ACCOUNT]: ['access_denied', 'hasAccount'],
  [Kind.LOGIN_PROBLEM_KIND_NO_MEMBER]: ['access_denied', 'noMember'],
  [Kind.LOGIN_PROBLEM_KIND_LINKED_TO_OTHER]: ['access_denied', 'linkedToOther'],
  [Kind.LOGIN_PROBLEM_KIND_SESSION]: ['login_required', 'session'],
  [Kind.LOGIN_PROBLEM_KIND_FULL]: ['access_denied', 'full'],
}

/**
 * Translates the identity service's reason for a failed login through a connection.
 * @param name the name of the connection
 * @throws Refusal not_found for a connection that there is not, and for one that is disabled: nobody learns which
 */
export function explainConnectionProblem(kind: Kind, name: string): SocialProblem {
  if (kind === Kind.LOGIN_PROBLEM_KIND_NO_CONNECTION) throw unknownProvider()
  const [code, text] = own[kind] ?? []
  if (code !== undefined && text !== undefined)
    return problem(code, ({ connections }) => connections.problems[text](name))
  const social = shared[kind] ?? SocialLoginProblemKind.SOCIAL_LOGIN_PROBLEM_KIND_UNSPECIFIED
  return explainProblem(social, name)
}
