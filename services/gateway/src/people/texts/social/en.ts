const startAgain = 'Go back to the login page and start again.'

/** The words of an error page: what happened, why, and what people can do. */
type Explained = { heading: string; description: string; advice: string }

/** The error pages of logins through a provider. */
export const texts = {
  unreachable: (provider: string): Explained => ({
    heading: `${provider} does not answer`,
    description: `${provider} does not answer at the moment.`,
    advice: 'You were not logged in. Try again in a minute, or log in another way.',
  }),
  notOffered: (provider: string): Explained => ({
    heading: `${provider} is not available here`,
    description: `Logging in through ${provider} is not available on this server.`,
    advice: 'Log in another way.',
  }),
  notConfigured: (provider: string): Explained => ({
    heading: `${provider} is not set up here`,
    description: `Logging in through ${provider} is not set up on this server.`,
    advice: 'Log in another way. An administrator can set it up.',
  }),
  unknownLogin: {
    heading: 'This login has ended',
    description: 'The login was finished already, took too long, or was begun in another browser.',
    advice: startAgain,
  },
  denied: (provider: string): Explained => ({
    heading: 'You were not logged in',
    description: `${provider} says that the login was cancelled or is not allowed.`,
    advice: 'If you did not mean to cancel it, go back to the login page and start again.',
  }),
  disabled: {
    heading: 'You may not log in',
    description: 'Your account here is disabled.',
    advice: 'Ask an administrator to enable your account.',
  },
  untrusted: (provider: string): Explained => ({
    heading: `Something is wrong with ${provider}’s answer`,
    description: `The answer of ${provider} cannot be trusted, so you were not logged in.`,
    advice: `${startAgain} If it happens again, tell an administrator.`,
  }),
  unknownProvider: 'There is no login provider of this name.',
  toLogin: 'Go to the login page',
}

/** These texts in one language. */
export type Texts = typeof texts
