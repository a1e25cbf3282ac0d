/** The pages on which people sign up. */
export const texts = {
  title: 'Sign up',
  heading: 'Create an account',
  lead: 'We send you an e-mail with a link. Follow it to choose your user name and password.',
  haveAccount: 'I have an account: log in',
  sent: (address: string) =>
    `We have sent an e-mail to ${address}. Follow the link in it to create your account.`,
  sentHint:
    'The link works for one hour. If no e-mail comes, look in your spam folder, and check the address.',
  anotherAddress: 'Enter another address',
  closed: 'Signing up is closed on this server. Ask an administrator for an account.',
  confirmed: (address: string) => `Your address ${address} is confirmed. Choose how you log in.`,
  username: 'User name',
  usernameHint: 'Your address, or another name without spaces. You can log in with either.',
  password: 'Password',
  submit: 'Create the account',
  again: 'Sign up again',
  logIn: 'Log in',
}

/** These texts in one language. */
export type Texts = typeof texts
