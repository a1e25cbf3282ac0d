/** The pages on which people reset a forgotten password. */
export const texts = {
  title: 'Reset your password',
  lead: 'We send an e-mail with a link to the address of your account.',
  username: 'User name or e-mail address',
  missing: 'Enter your user name or your e-mail address.',
  sent: 'If there is an account with this name or address, we have sent an e-mail to its address. Follow the link in it to choose a new password.',
  sentHint:
    'The link works for one hour. If no e-mail comes, look in your spam folder. An account whose address was never confirmed gets no e-mail: ask an administrator.',
  back: 'Back to login',
  off: 'This server sends no e-mails. Ask an administrator for a new password.',
  choose: 'Choose a new password',
  chooseLead: (user: string) =>
    `It is for the account ${user}. When you save it, you are logged out everywhere, and apps lose their access.`,
  newPassword: 'New password',
  submit: 'Save the password',
  another: 'Get a new link',
  done: 'Your password is changed. Log in with the new one.',
}

/** These texts in one language. */
export type Texts = typeof texts
