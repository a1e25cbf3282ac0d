/** The page of one’s own logins. */
export const texts = {
  link: 'Your logins',
  heading: 'Your logins',
  lead: 'Every attempt to log in to your account in the last 30 days, newest first. If you do not recognize one that succeeded, change your password.',
  none: 'There were none in the last 30 days.',
  older: 'Older logins',
  newest: 'Newest logins',
  outcomes: {
    succeeded: 'Logged in',
    wrongPassword: 'Wrong password',
    disabled: 'Your account was disabled',
    tooManyFailures: 'Refused after too many failed logins',
    providerRefused: 'Cancelled or refused by the provider',
    providerFailed: 'The provider did not answer as expected',
    wrongFactor: 'Wrong second factor',
    tooManyCodes: 'Refused after too many wrong codes',
    factorMissing: 'No second factor given',
    factorNotAsked: 'Refused: this app cannot ask for your second factor',
    notFinished: 'Not finished in time',
    passkeyRefused: 'Passkey not accepted',
    failed: 'Failed',
  },
}

/** These texts in one language. */
export type Texts = typeof texts
