import type { MailKindName } from '@gatehouse/proto/people/mails'

/** The facts that the texts of mails name. The content of each kind of mail has those that its text names. */
export type MailFacts = {
  /** The name of this server, as people know it. */
  brand: string
  /** The user's name. */
  username: string
  /** The new address of a user whose address has changed. */
  address: string
  /** The name of an organization, and of the person who invites to it; empty where nobody does. */
  organization: string
  inviter: string
  /** A domain of the organization. */
  domain: string
  /** The name of a connection. */
  connection: string
  browser: string
  ipAddress: string
  /** When it happened, in the language of the mail. */
  time: string
}

/** The text of a mail, around its button. */
export type MailWords = {
  subject: string
  /** The paragraphs before the button. */
  lines: readonly string[]
  /** The facts of an event: labels and values. One with an empty value is left out. */
  facts?: readonly (readonly [label: string, value: string])[]
  /** The text of the button, if there is one. */
  button?: string
  /** The paragraphs after the button. */
  after: readonly string[]
}

/** The texts of all mails in one language. */
export type MailTexts = {
  /** @param username undefined for somebody who has no account yet */
  greeting(username: string | undefined): string
  /** Comes before the address of the button, for programs that show no buttons. */
  orOpen: string
  /** The last line: why one gets the mail. */
  reason(brand: string): string
  terms: string
  privacy: string
  support: string
  kinds: { readonly [Kind in MailKindName]: (facts: MailFacts) => MailWords }
}
