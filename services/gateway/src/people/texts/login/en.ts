import { minutesIn } from '../time.ts'

/** The login page. */
export const texts = {
  heading: 'Log in',
  toContinueTo: (app: string) => `to continue to ${app}`,
  again: (user: string) => `You are logged in as ${user}. To continue, log in again.`,
  loggedIn: (user: string, link: string) =>
    `You are logged in as ${user}. ${link}, or log in as somebody else.`,
  continue: 'Continue',
  toAccount: 'Go to your account',
  username: 'User name or e-mail address',
  password: 'Password',
  submit: 'Log in',
  providers: 'Or log in with',
  missing: 'Enter your user name and your password.',
  wrong: 'The user name or the password is wrong. Check both and try again.',
  tooMany: (seconds: number) =>
    `Too many failed logins. Please try again later, ${minutesIn('en', seconds)}.`,
  forgot: 'Forgot your password?',
  signUp: 'Create an account',
}

/** These texts in one language. */
export type Texts = typeof texts
