import type { Refusal } from '@gatehouse/kit/errors'
import type { ErrorCode } from '@gatehouse/proto/errors'
import { SocialLoginProblemKind as Kind } from '@gatehouse/proto/identity/v1'
import { TranslatedRefusal } from '../pages/translated-refusal.ts'
import type { Texts } from '../texts/table.ts'

/** Why a login through a provider failed, for programs and for people. */
export type SocialProblem = {
  refusal: Refusal
  explain(texts: Texts): { heading: string; description: string; advice: string }
}

/** There is no provider, and no connection that works, of a name in an address. */
export function unknownProvider(): Refusal {
  return new TranslatedRefusal('not_found', (t) => t.social.unknownProvider)
}

/** The provider does not answer in time. */
export function unreachable(title: string): SocialProblem {
  return problem('temporarily_unavailable', ({ social }) => social.unreachable(title), { retryAfter: 10 })
}

/** The provider is known but never offered. */
export function notOffered(title: string): SocialProblem {
  return problem('temporarily_unavailable', ({ social }) => social.notOffered(title), { retryAfter: 3_600 })
}

/** The provider has no credentials here. */
export function notConfigured(refusal: Refusal, title: string): SocialProblem {
  return { refusal, explain: ({ social }) => social.notConfigured(title) }
}

/** Translates the identity service's reason for a failed login. */
export function explainProblem(kind: Kind, title: string): SocialProblem {
  switch (kind) {
    case Kind.SOCIAL_LOGIN_PROBLEM_KIND_UNKNOWN_LOGIN:
      return problem('invalid_request', ({ social }) => social.unknownLogin)
    case Kind.SOCIAL_LOGIN_PROBLEM_KIND_DENIED:
      return problem('access_denied', ({ social }) => social.denied(title))
    case Kind.SOCIAL_LOGIN_PROBLEM_KIND_UNREACHABLE:
      return unreachable(title)
    case Kind.SOCIAL_LOGIN_PROBLEM_KIND_DISABLED:
      return problem('access_denied', ({ social }) => social.disabled)
    default:
      return problem('invalid_request', ({ social }) => social.untrusted(title))
  }
}

/** A problem in the words of the texts. */
export function problem(
  code: ErrorCode,
  explain: SocialProblem['explain'],
  options?: { retryAfter: number },
): SocialProblem {
  return { refusal: new TranslatedRefusal(code, (texts) => explain(texts).description, options), explain }
}
