import { waitIn } from '../time.ts'

/** The page that asks for a second factor. */
export const texts = {
  heading: 'One more step',
  loggingIn: (user: string) => `You are logging in as ${user}.`,
  loggedIn: (user: string) => `You are logged in as ${user}. To continue, you also need your second factor.`,
  code: 'Code from your authenticator app',
  codeHint: 'Six digits, which change every 30 seconds.',
  submit: 'Continue',
  recovery: 'Use a recovery code',
  recoveryCode: 'Recovery code',
  recoveryHint: (left: number) => `Codes left: ${left}. Each works once.`,
  nothing:
    'None of your second factors works on this server at the moment. Ask an administrator to reset them.',
  somebodyElse: 'Log in as somebody else',
  missing: 'Enter the code.',
  wrongCode: 'This code is wrong or was used already. Wait for the next one, then try again.',
  wrongRecoveryCode: 'This recovery code is wrong or was used already.',
  tooMany: (seconds: number) => `Too many wrong codes. Please try again later, ${waitIn('en', seconds)}.`,
  ended: 'This login took too long, or there were too many wrong codes. Log in again.',
}

/** These texts in one language. */
export type Texts = typeof texts
