/** The words of an error page: what happened, why, and what people can do. */
type Explained = { heading: string; description: string; advice: string }

/** Logins through connections, and the accounts elsewhere that people connect to theirs. */
export const texts = {
  byAddress: 'Log in through your organization',
  otherWay: {
    organization: (name: string) => `To go on in ${name}, log in through it.`,
    factors: (name: string) => `To go on in ${name}, log in with two factors.`,
    account: 'This app needs a login of your own account.',
    page: 'To see that page, log in another way.',
  },
  address: {
    lead: 'Enter your e-mail address at work. It tells us where you log in.',
    label: 'E-mail address',
    submit: 'Continue',
    missing: 'Enter your e-mail address.',
    unknown: 'This address does not lead to the login of an organization. Check it, or log in another way.',
    otherWays: 'Other ways to log in',
  },
  question: {
    title: (name: string) => `Log in through ${name}?`,
    lead: (user: string) =>
      `You are logged in as ${user}. A link on another site brought you here. If you log in as somebody else now, that login ends.`,
    submit: 'Log in',
    stay: 'Stay logged in',
  },
  problems: {
    notInvited: (provider: string): Explained => ({
      heading: 'You have no account here',
      description: `You logged in through ${provider}, but no account here belongs to that login.`,
      advice: 'Ask an administrator to invite you. If you have an account, log in another way.',
    }),
    hasAccount: (provider: string): Explained => ({
      heading: 'You have an account already',
      description: `There is an account with your e-mail address, but it is not connected to ${provider} yet.`,
      advice: `Log in another way this once. Then you can connect ${provider} to your account.`,
    }),
    noMember: (provider: string): Explained => ({
      heading: 'You are no member of this organization',
      description: `Logins through ${provider} are for members of its organization, and your account is not one of them.`,
      advice: 'Ask an administrator of the organization to invite you, or log in another way.',
    }),
    linkedToOther: (provider: string): Explained => ({
      heading: 'This login belongs to another account',
      description: `The account at ${provider} is already connected to another account here.`,
      advice: 'Choose another account there, or log in to the other account here and remove it.',
    }),
    session: (provider: string): Explained => ({
      heading: 'You must log in again',
      description: `Your login here ended while you were at ${provider}, or it does not allow this.`,
      advice: 'Log in, and start again.',
    }),
    full: (provider: string): Explained => ({
      heading: 'The organization is full',
      description: `The organization of ${provider} has as many members as it may have.`,
      advice: 'Tell an administrator of the organization.',
    }),
  },
  own: {
    heading: 'Connected accounts',
    link: 'Show connected accounts',
    lead: 'Through these accounts elsewhere you can log in here.',
    none: 'No account elsewhere is connected to yours.',
    of: (organization: string) => `Counts in ${organization} only`,
    since: (time: string) => `connected since ${time}`,
    badge: 'Does not work',
    orphaned: 'The provider is another one now, which does not know this account.',
    disabled: 'Nobody can log in through this provider at the moment.',
    offers: 'Connect another account',
    done: { connected: 'The account is connected.', removed: 'The account is no longer connected.' },
    connect: {
      title: (name: string) => `Connect ${name} to your account?`,
      lead: 'You log in there now. From then on you can log in here through it.',
      submit: 'Connect',
    },
    remove: {
      title: (name: string) => `Disconnect ${name}?`,
      lead: 'You can no longer log in through it. You are logged out where you logged in through it, and apps lose the access that you gave them there.',
      submit: 'Disconnect',
      last: 'You have no other way to log in. Set a password or a passkey first.',
    },
  },
}

/** These texts in one language. */
export type Texts = typeof texts
