import { Refusal } from '@gatehouse/kit/errors'
import type { Emit } from '@gatehouse/kit/events/emission'
import { digestOf } from '../basics/secret.ts'
import { readAddress } from './sign-up.ts'

/** A login is recent for this many seconds: after that, who is at the browser must log in again to change what is sensitive. */
export const recentLogin = 300

/** The user of a session, and their address. */
export type AddressOwner = {
  userId: string
  email: string | undefined
  verified: boolean
  /** How long ago they logged in, in seconds. */
  loggedInFor: number
  /** Whether they have proven their second factor in this session, or have none. */
  proven: boolean
}

/** Stores the confirmation of addresses. */
export type AddressConfirmationStore = {
  /** @returns undefined when the session is unknown or has expired */
  ownerOf(secretDigest: Buffer): Promise<AddressOwner | undefined>
  /**
   * Writes the mail, unless the session has ended meanwhile.
   * @returns 'too many' when too many mails have gone to this address
   */
  request(request: {
    secretDigest: Buffer
    userId: string
    address: string
    language: string
  }): Promise<'sent' | 'too many' | 'session over'>
  /**
   * Uses a link and makes its address the user's, verified, in one transaction. Their other links end, and a previous verified address
   * gets a mail.
   * @returns the user's id; undefined when the link is over
   */
  confirm(digest: Buffer): Promise<{ userId: string; changed: boolean } | undefined>
}

/** The needs of confirming addresses. */
export type AddressConfirmationDeps = {
  addresses: AddressConfirmationStore
  /** Whether mails can be sent. */
  mailsOn: boolean
  emit: Emit
}

/** The outcome of asking for a confirmation. 'login too old' also when the login lacks the second factor. */
export type AddressRequestOutcome = 'sent' | 'invalid' | 'unchanged' | 'login too old' | 'too many'

/**
 * Sends a mail with which the user of a session confirms an address. It becomes theirs with the confirmation, not before.
 * @param request address: undefined for the address that the user has
 * @throws Refusal login_required when the session is unknown or has expired; access_denied where no mails can be sent
 */
export async function requestAddressConfirmation(
  {
    sessionSecret,
    address,
    language,
  }: {
    sessionSecret: string
    address?: string | undefined
    language: string
  },
  { addresses, mailsOn }: AddressConfirmationDeps,
): Promise<AddressRequestOutcome> {
  if (!mailsOn)
    throw new Refusal(
      'access_denied',
      'This server sends no mails. Ask an administrator to change your address.',
    )
  const secretDigest = digestOf(sessionSecret)
  const owner = await addresses.ownerOf(secretDigest)
  if (owner === undefined) throw new Refusal('login_required')
  const wanted = address ?? owner.email
  const read = wanted === undefined ? undefined : readAddress(wanted)
  if (read === undefined || 'fault' in read) return 'invalid'
  const same = read.value.toLowerCase() === owner.email?.toLowerCase()
  if (same && owner.verified && read.value === owner.email) return 'unchanged'
  // Anybody with the address can reset the password, so a change of it needs as much as a change of a factor.
  if (!same && (owner.loggedInFor > recentLogin || !owner.proven)) return 'login too old'
  const { userId } = owner
  const outcome = await addresses.request({ secretDigest, userId, address: read.value, language })
  if (outcome === 'session over') throw new Refusal('login_required')
  return outcome
}

/**
 * Makes the address of a link its user's.
 * @returns false when the link is unknown, has expired or was used
 */
export async function confirmAddress(
  secret: string,
  { addresses, emit }: Pick<AddressConfirmationDeps, 'addresses' | 'emit'>,
): Promise<boolean> {
  const confirmed = await addresses.confirm(digestOf(secret))
  if (confirmed === undefined) return false
  const { userId, changed } = confirmed
  emit('email_address_confirmed', { userId, metadata: { changed: String(changed) } })
  return true
}
