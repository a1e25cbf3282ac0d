/** A login problem in words, and the remedy that administrators have for it. */
type ProblemWords = { explanation: string; remedy: string }

/** The words for each login problem of a user, by its code. */
export const loginProblems = {
  disabled: {
    explanation: 'The user is disabled.',
    remedy: 'Enable the user.',
  },
  no_credentials: {
    explanation:
      'The user has nothing to log in with: no password, no passkey that works here, and no account at a provider.',
    remedy: 'Give the user a password, or send them a mail to choose one.',
  },
  second_factor_unusable: {
    explanation:
      'A login needs a second factor, and this server cannot check any that the user has, because its configuration has changed.',
    remedy: 'Restore OAUTH2_FACTOR_KEY, or remove the user’s second factors.',
  },
  no_password: {
    explanation: 'The user has no password. They log in with a passkey or through a provider.',
    remedy: 'Nothing, unless they need a password: give them one, or send them a mail to choose one.',
  },
  second_factor_missing: {
    explanation:
      'Two factors are required, and the user has no second one. Their next login asks them to add one; the password grant refuses them.',
    remedy: 'Ask the user to log in in a browser and to add one.',
  },
  email_unverified: {
    explanation:
      'The e-mail address is not confirmed, so the user cannot log in with it, only with the user name, and gets no mail to reset the password.',
    remedy: 'Send the user a mail to confirm the address, or mark it as verified.',
  },
  email_shared: {
    explanation: 'Another user has the same e-mail address, so neither of them can log in with it.',
    remedy: 'Ask the user to log in with the user name, or change one of the two addresses.',
  },
  too_many_failures: {
    explanation: 'Too many logins with a wrong password failed, so passwords are not checked for now.',
    remedy:
      'Unlock the user, or wait until then. Another network may work, or a browser in which the user has logged in before, or a passkey.',
  },
  too_many_codes: {
    explanation:
      'The user has entered too many wrong codes of the second factor, so codes are not checked for now.',
    remedy: 'Wait until then. Another second factor works meanwhile. If they have lost it, remove it.',
  },
} as const satisfies Record<string, ProblemWords>

/** The words for a login problem. @param code one that only a newer service knows has the code for an explanation */
export function loginProblemWords(code: string): ProblemWords {
  const known: Readonly<Record<string, ProblemWords>> = loginProblems
  return (Object.hasOwn(known, code) ? known[code] : undefined) ?? { explanation: code, remedy: '' }
}
