import type { MailKindName, MailLinkPurpose } from '@gatehouse/proto/people/mails'
import type { MailContent } from './composed-mail.ts'

/** The content behind a link, besides its user and address. */
export type LinkContent = {
  /** The path to continue at afterwards. */
  returnTo?: string | undefined
  /** The attributes of the user who will be created. */
  attributes?: Readonly<Record<string, unknown>>
}

/** The content that is stored with a mail. */
export type StoredContent = MailContent & LinkContent

/** A mail that is due. */
export type DueMail = {
  id: string
  kind: MailKindName
  userId: string | undefined
  recipient: string
  /** A language tag (BCP 47), which need not be one of ours. */
  language: string
  content: StoredContent
  /** How often it was tried, this time included. */
  attempt: number
  /** Whether this is the last attempt: the mail has waited for a day. */
  last: boolean
}

/** A link to store with the mail that has it. */
export type NewMailLink = {
  digest: Buffer
  mailId: string
  purpose: MailLinkPurpose
  userId: string | undefined
  address: string
  content: LinkContent
  /** In seconds. */
  lifetime: number
}

/** The mails that wait, for all replicas together. */
export type MailQueue = {
  /**
   * Takes mails that are due, oldest first, for a while: if they are not settled until then, another replica may take them.
   * @param seconds how long
   */
  take(most: number, seconds: number): Promise<DueMail[]>
  /** @returns false when the mail no longer waits: what it was for has ended since it was taken */
  addLink(link: NewMailLink): Promise<boolean>
  /** Notes that the mail server has taken a mail. */
  sent(mail: Pick<DueMail, 'id' | 'attempt'>): Promise<void>
  /** @param retryIn in seconds; undefined to give the mail up */
  failed(mail: Pick<DueMail, 'id' | 'attempt'>, failure: string, retryIn: number | undefined): Promise<void>
  /** Turns what strangers have asked for into mails. @returns how many requests were handled */
  handleRequests(most: number): Promise<number>
  /** How many mails wait, and for how many seconds the oldest has. */
  backlog(): Promise<{ waiting: number; oldest: number }>
}
