import type { Actor } from '@gatehouse/kit/actor'
import { Refusal } from '@gatehouse/kit/errors'
import { isUuid } from '@gatehouse/kit/formats'
import { checkLimit, type Keyed, type Page, type PageRequest, pageOf, readCursor } from '@gatehouse/kit/page'
import { isStorable } from '@gatehouse/kit/storable'
import { isConnectionId } from '@gatehouse/proto/connections'
import { digestOf } from '../basics/secret.ts'
import type { InOrganization } from '../organizations/acting.ts'

/** A person at a provider. An issuer never gives a subject to anybody else. */
export type LinkKey = { connectionId: string; issuer: string; subject: string }

/** The user who logs in as somebody at the provider of a connection. */
export type Link = LinkKey & {
  connectionName: string
  userId: string
  username: string
  /** The provider's name for them at the last login. Nothing may be decided by it. */
  displayName: string
  linkedAt: Date
  /** undefined: they have not logged in by it since. */
  lastLoginAt: Date | undefined
  /** Whether the connection has another issuer now, so that the link leads to nobody. */
  orphaned: boolean
  /** Whether the connection is disabled. */
  disabled: boolean
  organizationId: InOrganization
  organizationName: string | undefined
}

/** The position of a link in a list: when it was made, in microseconds since the Unix epoch as digits, and its key. */
export type LinkPosition = [microseconds: string, connectionId: string, issuer: string, subject: string]

/** Stores links. */
export type LinkStore = {
  /** Newest first; those of a connection, a user or both. Each item's key is its position. */
  list(
    of: { connectionId?: string | undefined; userId?: string | undefined },
    after: LinkPosition | undefined,
    limit: number,
  ): Promise<Keyed<Link>[]>
  /**
   * Removes a link, takes what the mapping gave its user, and ends their logins by it. Writes an audit entry.
   * @param sessionDigest of the session in which the user removes it; undefined for an administrator
   * @returns the ids of the pending revocations; or why it stays
   */
  remove(
    key: LinkKey & { userId?: string | undefined },
    sessionDigest: Buffer | undefined,
    actor: Actor,
  ): Promise<readonly bigint[] | 'unknown' | 'not allowed' | 'last way'>
}

/** The needs of listing and removing links. */
export type LinkDeps = {
  links: LinkStore
  /** Tells the token service, now or later; never rejects. */
  deliver(...revocationIds: bigint[]): Promise<void>
}

/**
 * The links of a connection, a user or both, newest first.
 * @throws Refusal invalid_request for neither, and for an invalid limit or cursor
 */
export async function listLinks(
  { connectionId, userId, cursor, limit }: PageRequest & Parameters<LinkStore['list']>[0],
  { links }: Pick<LinkDeps, 'links'>,
): Promise<{ links: Link[]; nextCursor: string | undefined }> {
  const most = checkLimit(limit)
  if (connectionId === undefined && userId === undefined)
    throw new Refusal('invalid_request', 'connection_id or user_id must be there.')
  const after = readPosition(cursor)
  const isKnown =
    (connectionId === undefined || isConnectionId(connectionId)) && (userId === undefined || isUuid(userId))
  const found = isKnown ? await links.list({ connectionId, userId }, after, most + 1) : []
  const { items, nextCursor }: Page<Link> = pageOf(found, most)
  return { links: items, nextCursor }
}

function readPosition(cursor: string | undefined): LinkPosition | undefined {
  const key = readCursor(cursor, 4)
  if (key !== undefined && !/^\d{1,16}$/.test(key[0] ?? ''))
    throw new Refusal('invalid_request', 'cursor is invalid.')
  return key as LinkPosition | undefined
}

/**
 * Removes a link, and ends the logins that came by it. Whoever loses the link loses what the mapping gave them, too.
 * @param which with sessionSecret its user removes it, and keeps one way to log in
 * @throws Refusal not_found; login_required unless the session's login by a way of the instance is of the last five minutes; access_denied
 *   for the user's last way to log in, and for an administrator who may not act on the user
 */
export async function removeLink(
  { sessionSecret, ...key }: LinkKey & { userId?: string | undefined; sessionSecret?: string | undefined },
  actor: Actor,
  { links, deliver }: LinkDeps,
): Promise<void> {
  const isKey =
    isConnectionId(key.connectionId) &&
    [key.issuer, key.subject].every(isStorable) &&
    (key.userId === undefined || isUuid(key.userId))
  const digest = sessionSecret === undefined ? undefined : digestOf(sessionSecret)
  const removed = isKey ? await links.remove(key, digest, actor) : 'unknown'
  if (removed === 'unknown') throw new Refusal('not_found', 'There is no such link.')
  if (removed === 'not allowed')
    throw new Refusal('login_required', 'Log in again first: this needs a login of the last five minutes.')
  if (removed === 'last way')
    throw new Refusal(
      'access_denied',
      'This is the last way to log in to the account. Set a password or add another way first.',
    )
  await deliver(...removed)
}
