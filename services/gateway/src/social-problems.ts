import { Refusal } from '@gatehouse/kit/errors'
import { SocialLoginProblemKind as Kind } from '@gatehouse/proto/identity/v1'

/** Why a login through a provider failed, for programs and for people. */
export type SocialProblem = {
  refusal: Refusal
  heading: string
  advice: string
}

const startAgain = 'Go back to the login page and start again.'

/** The provider does not answer in time. */
export function unreachable(title: string): SocialProblem {
  return {
    refusal: new Refusal('temporarily_unavailable', `${title} does not answer at the moment.`, {
      retryAfter: 10,
    }),
    heading: `${title} does not answer`,
    advice: 'You were not logged in. Try again in a minute, or log in another way.',
  }
}

/** The provider is known but never offered. */
export function notOffered(title: string): SocialProblem {
  return {
    refusal: new Refusal(
      'temporarily_unavailable',
      `Logging in through ${title} is not available on this server.`,
      {
        retryAfter: 3_600,
      },
    ),
    heading: `${title} is not available here`,
    advice: 'Log in another way.',
  }
}

/** The provider has no credentials here. */
export function notConfigured(refusal: Refusal, title: string): SocialProblem {
  return {
    refusal,
    heading: `${title} is not set up here`,
    advice: 'Log in another way. An administrator can set it up.',
  }
}

/** Translates the identity service's reason for a failed login. */
export function explainProblem(kind: Kind, title: string): SocialProblem {
  switch (kind) {
    case Kind.SOCIAL_LOGIN_PROBLEM_KIND_UNKNOWN_LOGIN:
      return {
        refusal: new Refusal(
          'invalid_request',
          'The login was finished already, took too long, or was begun in another browser.',
        ),
        heading: 'This login has ended',
        advice: startAgain,
      }
    case Kind.SOCIAL_LOGIN_PROBLEM_KIND_DENIED:
      return {
        refusal: new Refusal(
          'access_denied',
          `${title} says that the login was cancelled or is not allowed.`,
        ),
        heading: 'You were not logged in',
        advice: 'If you did not mean to cancel it, go back to the login page and start again.',
      }
    case Kind.SOCIAL_LOGIN_PROBLEM_KIND_UNREACHABLE:
      return unreachable(title)
    case Kind.SOCIAL_LOGIN_PROBLEM_KIND_DISABLED:
      return {
        refusal: new Refusal('access_denied', 'Your account here is disabled.'),
        heading: 'You may not log in',
        advice: 'Ask an administrator to enable your account.',
      }
    default:
      return {
        refusal: new Refusal(
          'invalid_request',
          `The answer of ${title} cannot be trusted, so you were not logged in.`,
        ),
        heading: `Something is wrong with ${title}’s answer`,
        advice: `${startAgain} If it happens again, tell an administrator.`,
      }
  }
}
