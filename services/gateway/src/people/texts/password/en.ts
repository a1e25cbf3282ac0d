/** Passwords: the form of the account page that changes one, the button that shows one, and the faults of a chosen one. */
export const texts = {
  change: 'Change your password',
  current: 'Current password',
  new: 'New password',
  rule: (least: number) => `At least ${least} characters.`,
  again: 'Repeat the new password',
  keepAccess: 'Stay logged in elsewhere, and let apps keep their access',
  keepAccessHint:
    'Leave this unchecked if somebody else may know your current password: you are then logged out everywhere else, and every app loses its access.',
  submit: 'Change password',
  yours: 'Your password',
  notNeeded: (providers: string) =>
    `You do not need a password here: you log in with ${providers}. If you want one, ask an administrator.`,
  differ: 'The two new passwords differ. Nothing was changed.',
  wrong: 'The current password is wrong. Nothing was changed.',
  /** @param reason why it cannot be used, as a sentence in English */
  unacceptable: (reason: string) => reason,
  show: 'Show',
  hide: 'Hide',
  faults: {
    too_short: (least: number) => `The password must have at least ${least} characters.`,
    too_long: 'The password is too long.',
    too_common: 'This is one of the most common passwords, which are guessed first. Choose another one.',
    like_name: 'The password must not be your user name or your e-mail address.',
    taken: 'This user name is already taken. Choose another one.',
    an_address: 'The user name must not be the e-mail address of somebody else.',
    a_link: 'The user name must not contain / or :, nor begin with www.',
    invalid:
      'This user name does not work: it must have 1 to 200 visible characters without spaces, and must not begin with client_.',
  },
}

/** These texts in one language. */
export type Texts = typeof texts
