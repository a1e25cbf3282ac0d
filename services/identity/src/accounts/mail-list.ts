import type { Actor } from '@gatehouse/kit/actor'
import { Refusal } from '@gatehouse/kit/errors'
import { isUuid } from '@gatehouse/kit/formats'
import { checkLimit, type Keyed, type Page, type PageRequest, pageOf, readCursor } from '@gatehouse/kit/page'
import { isStorable } from '@gatehouse/kit/storable'
import type { MailKindName, MailLinkPurpose } from '@gatehouse/proto/people/mails'
import type { ComposedMail } from '../mail/composed-mail.ts'
import { checkReach } from '../users/limited-administrator.ts'
import type { UserListStore } from '../users/user-list.ts'
import { checkMailsOn, type InvitationDeps } from './invitation.ts'

/** A mail as administrators see it. */
export type MailRecord = {
  id: string
  kind: string
  userId: string | undefined
  recipient: string
  language: string
  state: 'waiting' | 'sent' | 'failed'
  attempts: number
  createdAt: Date
  dueAt: Date
  endedAt: Date | undefined
  /** Why the last attempt failed; undefined if none did. */
  failure: string | undefined
}

/** A list has the mails that match all of these; undefined: any. */
export type MailFilter = {
  userId?: string | undefined
  recipient?: string | undefined
  kind?: string | undefined
  state: MailRecord['state'] | undefined
}

/** Reads and changes mails for administrators. Each change writes an audit entry. */
export type MailListStore = {
  /** Newest first. @param after the id after which the list continues */
  list(filter: MailFilter, after: string | undefined, limit: number): Promise<Keyed<MailRecord>[]>
  get(id: string): Promise<MailRecord | undefined>
  /** Makes a mail that was given up wait again. @returns whether it was given up */
  retry(id: string, actor: Actor): Promise<boolean>
  /** Writes a mail with a link to a user's address. @returns why not, or the mail's id */
  sendLink(
    userId: string,
    kind: MailKindName,
    actor: Actor,
  ): Promise<{ id: string } | 'unknown' | 'no address' | 'not verified'>
}

/** The needs of administrators' work with mails. */
export type MailListDeps = InvitationDeps & {
  mails: MailListStore
  users: Pick<UserListStore, 'get'>
  /** Reads the text of a mail, where mails are files. */
  read: ((id: string) => Promise<ComposedMail | undefined>) | undefined
}

/**
 * Lists mails, newest first.
 * @throws Refusal invalid_request for a limit, cursor or filter that is invalid
 */
export async function listMails(
  { cursor, limit, ...filter }: PageRequest & MailFilter,
  { mails }: Pick<MailListDeps, 'mails'>,
): Promise<Page<MailRecord>> {
  const most = checkLimit(limit)
  const [after] = readCursor(cursor, 1) ?? []
  if (after !== undefined && !isUuid(after)) throw new Refusal('invalid_request', 'cursor is invalid.')
  const { recipient, userId } = filter
  if (recipient !== undefined && !isStorable(recipient))
    throw new Refusal('invalid_request', 'recipient is invalid.')
  if (userId !== undefined && !isUuid(userId)) return { items: [], nextCursor: undefined }
  return pageOf(await mails.list(filter, after, most + 1), most)
}

/**
 * Finds a mail, with its text where mails are files.
 * @throws Refusal not_found
 */
export async function getMail(
  id: string,
  { mails, read }: Pick<MailListDeps, 'mails' | 'read'>,
): Promise<{ mail: MailRecord; text: ComposedMail | undefined }> {
  const mail = isUuid(id) ? await mails.get(id) : undefined
  if (mail === undefined) throw unknownMail()
  return { mail, text: await read?.(id) }
}

/**
 * Sends a mail again that was given up.
 * @throws Refusal not_found; invalid_request for a mail that waits or was sent; access_denied as checkReach
 */
export async function retryMail(
  id: string,
  actor: Actor,
  { mails, users }: Pick<MailListDeps, 'mails' | 'users'>,
): Promise<void> {
  const mail = isUuid(id) ? await mails.get(id) : undefined
  if (mail === undefined) throw unknownMail()
  if (mail.userId !== undefined) await checkReach(mail.userId, actor, users)
  if (!(await mails.retry(id, actor)))
    throw new Refusal('invalid_request', 'Only a mail that has failed can be sent again.')
}

/**
 * Sends a user a mail with a link: to reset their password, or to confirm their address.
 * @returns the mail's id
 * @throws Refusal not_found; invalid_request for a user without such an address; access_denied where no mails can be sent, and as
 *   checkReach
 */
export async function sendUserLink(
  { userId, purpose }: { userId: string; purpose: Exclude<MailLinkPurpose, 'sign_up' | 'organization'> },
  actor: Actor,
  { mails, users, mailsOn }: Pick<MailListDeps, 'mails' | 'users' | 'mailsOn'>,
): Promise<string> {
  checkMailsOn({ mailsOn })
  await checkReach(userId, actor, users)
  const outcome = isUuid(userId) ? await mails.sendLink(userId, purpose, actor) : 'unknown'
  if (outcome === 'unknown') throw new Refusal('not_found', 'There is no such active user.')
  if (outcome === 'no address') throw new Refusal('invalid_request', 'The user has no e-mail address.')
  if (outcome === 'not verified')
    throw new Refusal('invalid_request', 'The e-mail address of the user is not verified.')
  return outcome.id
}

function unknownMail(): Refusal {
  return new Refusal('not_found', 'There is no such mail.')
}
