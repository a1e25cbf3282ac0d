/** The names of the checks that find planted defects. */
export const checkNames = {
  codes: 'a code gives tokens once',
  stored: 'every answered token is stored',
  revoked: 'a revoked token is inactive',
  families: 'a reused refresh token revokes its family',
  lost: 'a token that nothing revoked is active',
  events: 'every accepted event is delivered',
  order: 'the events of a sender are delivered in their order',
  audit: 'every action of an administrator is in the audit log',
  keys: 'every token verifies with every key set that may be used',
  logouts: 'a logout is told once, and again only after a pause',
  mails: 'a mail is one for a consumer that ignores repeated ids',
} as const
