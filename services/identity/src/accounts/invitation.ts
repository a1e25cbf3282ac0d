import type { Actor } from '@gatehouse/kit/actor'
import { Refusal } from '@gatehouse/kit/errors'
import { isUuid } from '@gatehouse/kit/formats'
import { checkLimit, type Keyed, type Page, type PageRequest, pageOf, readCursor } from '@gatehouse/kit/page'
import { changeAttributes, type SentAttributes } from '../users/user-attributes.ts'
import { readAddress, type SignUpMode } from './sign-up.ts'

/** An invitation to create an account. */
export type Invitation = {
  address: string
  language: string
  /** The attributes of the user who will be created. */
  attributes: SentAttributes
}

/** An invitation that nobody has accepted, and nobody has withdrawn. */
export type OpenInvitation = {
  /** The id of its mail. */
  id: string
  address: string
  language: string
  /** expired: its link no longer works; failed: its mail could not be sent. */
  state: 'waiting' | 'sent' | 'failed' | 'expired'
  createdAt: Date
  /** When its link stops working; undefined while it has none. */
  expiresAt: Date | undefined
}

/**
 * Stores invitations. An address has one that is open at most: the next one ends it, with its link. Each change writes an audit entry in
 * the same transaction.
 */
export type InvitationStore = {
  /** Newest first. @param after the id after which the list continues */
  list(after: string | undefined, limit: number): Promise<Keyed<OpenInvitation>[]>
  /** @returns the mail's id; or why nothing was sent */
  invite(invitation: Invitation, actor: Actor): Promise<{ id: string } | 'known' | 'too many'>
  /** Sends an open invitation with a new link. @returns the new mail's id; or why nothing was sent */
  sendAgain(id: string, actor: Actor): Promise<{ id: string } | 'unknown' | 'known' | 'too many'>
  /** Ends an open invitation, with its link and its mail if that waits. @returns whether it was open */
  withdraw(id: string, actor: Actor): Promise<boolean>
}

/** The needs of administrators' work with invitations. */
export type InvitationDeps = {
  invitations: InvitationStore
  /** Whether mails can be sent. */
  mailsOn: boolean
  mode: SignUpMode
}

/**
 * Lists the open invitations, newest first.
 * @throws Refusal invalid_request for a limit or cursor that is invalid
 */
export async function listInvitations(
  { cursor, limit }: PageRequest,
  { invitations }: Pick<InvitationDeps, 'invitations'>,
): Promise<Page<OpenInvitation>> {
  const most = checkLimit(limit)
  const [after] = readCursor(cursor, 1) ?? []
  if (after !== undefined && !isUuid(after)) throw new Refusal('invalid_request', 'cursor is invalid.')
  return pageOf(await invitations.list(after, most + 1), most)
}

/**
 * Invites somebody to create an account. An earlier invitation of the address ends.
 * @returns the mail's id
 * @throws Refusal invalid_request, which names the field; access_denied where nobody can sign up; rate_limit_exceeded after five mails
 *   to the address in an hour
 */
export async function inviteUser(
  { address, language, attributes }: Invitation,
  actor: Actor,
  deps: InvitationDeps,
): Promise<string> {
  checkOpen(deps)
  const read = readAddress(address)
  if ('fault' in read) throw new Refusal('invalid_request', `email ${read.fault}.`)
  // The address of the link is the user's, whatever the attributes say.
  const { email: _, email_verified: __, ...others } = attributes ?? {}
  const checked = changeAttributes({}, others, 'administrators')
  return sentId(await deps.invitations.invite({ address: read.value, language, attributes: checked }, actor))
}

/**
 * Sends an open invitation again, with a new link: the earlier one no longer works.
 * @returns the new mail's id, by which the invitation is named from then on
 * @throws Refusal not_found; and as inviteUser
 */
export async function sendInvitationAgain(id: string, actor: Actor, deps: InvitationDeps): Promise<string> {
  checkOpen(deps)
  return sentId(isUuid(id) ? await deps.invitations.sendAgain(id, actor) : 'unknown')
}

/** Withdraws an open invitation: its link no longer works. @throws Refusal not_found */
export async function withdrawInvitation(
  id: string,
  actor: Actor,
  { invitations }: Pick<InvitationDeps, 'invitations'>,
): Promise<void> {
  if (!isUuid(id) || !(await invitations.withdraw(id, actor))) throw unknownInvitation()
}

/** @throws Refusal access_denied where no mails can be sent */
export function checkMailsOn({ mailsOn }: Pick<InvitationDeps, 'mailsOn'>): void {
  if (!mailsOn) throw new Refusal('access_denied', 'This server sends no mails: set OAUTH2_SMTP_URL.')
}

function checkOpen({ mailsOn, mode }: Pick<InvitationDeps, 'mailsOn' | 'mode'>): void {
  checkMailsOn({ mailsOn })
  if (mode === 'closed')
    throw new Refusal(
      'access_denied',
      'Signing up is closed: set OAUTH2_SIGNUP to invitation or open to invite people.',
    )
}

function sentId(sent: { id: string } | 'unknown' | 'known' | 'too many'): string {
  if (sent === 'unknown') throw unknownInvitation()
  if (sent === 'known') throw new Refusal('invalid_request', 'email is the address of a user.')
  if (sent === 'too many')
    throw new Refusal('rate_limit_exceeded', 'Five invitations went to this address in the last hour.')
  return sent.id
}

function unknownInvitation(): Refusal {
  return new Refusal('not_found', 'There is no such open invitation.')
}
