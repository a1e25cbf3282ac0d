/** The page of the invitations of an organization, and the one to which the link of an invitation leads. */
export const texts = {
  heading: 'Invitations',
  invite: 'Invite somebody',
  role: 'Role',
  submit: 'Send the invitation',
  none: 'No invitation is open.',
  by: (name: string) => `Invited by ${name}`,
  sent: (time: string) => `sent ${time}`,
  expires: (time: string) => `works until ${time}`,
  expired: 'expired',
  again: 'Send again',
  withdraw: 'Withdraw',
  withdrawal: {
    title: (address: string) => `Withdraw the invitation to ${address}`,
    lead: 'The link in the e-mail stops working at once.',
    submit: 'Withdraw the invitation',
  },
  gone: 'This invitation is not open any more.',
  problems: {
    member: 'This is the address of a member already.',
    tooManyMails: 'Several e-mails have already gone to this address. Please try again in an hour.',
    tooManyToday: 'The organization has sent as many invitations today as it may. Please try again tomorrow.',
    tooManyOpen: 'The organization has as many open invitations as it may have. Withdraw one first.',
    noMails: 'This server sends no e-mails, so nobody can be invited.',
  },
  join: {
    title: (organization: string) => `Join ${organization}`,
    lead: (organization: string) => `You are invited to join ${organization}.`,
    by: (name: string, organization: string) => `${name} has invited you to join ${organization}.`,
    as: (role: string) => `You will be there as: ${role}`,
    for: (address: string) => `The invitation is for ${address}.`,
    loggedInAs: (user: string) => `You are logged in as ${user}.`,
    submit: 'Join the organization',
    hint: 'If you do not want to join, close this page. Nothing happens.',
    otherAddress: (user: string) =>
      `You are logged in as ${user}, an account with another e-mail address. Log in with the account that has this address.`,
    otherAccount: 'Log in with another account',
    unverified: (user: string) =>
      `You are logged in as ${user}. Confirm your e-mail address first, then open the link of the invitation again.`,
    confirm: 'Confirm the address',
    logIn: 'Log in',
    signUp: 'Create an account',
    stranger: 'Log in with the account that has this address.',
    newcomer: 'There is no account with this address yet.',
    noAccount: 'If you have no account, ask the people who run this server for one.',
    tooMany: 'You are in as many organizations as somebody may be. Leave one first.',
    full: 'The organization has as many members as it may have.',
  },
}

/** These texts in one language. */
export type Texts = typeof texts
