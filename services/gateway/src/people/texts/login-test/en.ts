/** The page with the result of a login that was tried and stored nowhere. */
export const texts = {
  heading: (connection: string) => `Test of ${connection}`,
  works: 'The login works. Nobody was logged in by it, and nothing was stored.',
  fails: 'The login does not work. Nothing was stored.',
  would: 'What a login would do',
  mapped: 'What the mapping gives',
  existing: (username: string) => `${username} would be logged in.`,
  created: 'A new user would be created.',
  groups: 'Groups',
  roles: 'Roles',
  roleOf: (role: string, resource: string) => `${role} (${resource})`,
  nothing: 'The mapping gives nothing.',
  remarks: 'Rules without effect',
  claims: 'What the provider said',
  noClaims: 'The provider said nothing.',
  claim: 'Claim',
  value: 'Value',
  again: 'Try it again',
  back: 'Back to the connection',
  problems: {
    unknownLogin: 'The test is too old, or was begun in another browser. Begin it again.',
    denied: 'The login was cancelled at the provider, or the provider denied it.',
    unreachable: 'The provider does not answer in time. Check its issuer, and that this server may reach it.',
    badAnswer:
      'The provider’s answer is invalid. Check the client id, the secret or the key, the issuer, and the acr values.',
    disabled: 'The user who belongs to this account is disabled.',
    noConnection: 'The connection is disabled, or its organization is. Enable it before people log in.',
    notInvited: 'Nobody has linked this account, and the connection creates no user for this person.',
    hasAccount:
      'A user has this address already. They log in another way once, and link the account on their account page.',
    noMember: 'The user who has linked this account is not a member of the organization.',
    linkedToOther: 'The account is linked to another user.',
    session: 'You were logged out meanwhile, or may not try this connection.',
    full: 'The organization has as many members as it may have.',
    other: 'The login was refused.',
  },
}

/** These texts in one language. */
export type Texts = typeof texts
