import type { MailLinkPurpose } from '@gatehouse/proto/people/mails'
import { digestOf } from '../basics/secret.ts'

/** The content behind a link in a mail. */
export type MailLink = {
  address: string
  /** The path to continue at afterwards; undefined for none. */
  returnTo: string | undefined
  /** undefined for somebody who has no account yet. */
  username: string | undefined
}

/** Finds links. It does not find one that has expired or was used, nor one of a disabled user. */
export type MailLinkStore = {
  find(digest: Buffer, purpose: MailLinkPurpose): Promise<MailLink | undefined>
}

/**
 * Finds what a link is for, without using it: programs that look for viruses open the links of mails too.
 * @returns undefined when the link is unknown, has expired or was used
 */
export function getMailLink(
  { secret, purpose }: { secret: string; purpose: MailLinkPurpose },
  links: Pick<MailLinkStore, 'find'>,
): Promise<MailLink | undefined> {
  return links.find(digestOf(secret), purpose)
}
