import { keptIpAddress, keptUserAgent, storable } from '@gatehouse/kit/storable'
import { createSessionSecret, digestsOf, previousDigestsOf } from '../basics/secret.ts'
import type { ConnectionLogin } from './connection-login.ts'
import { type BeginningDeps, type NewSession, sessionExpiry, sessionLifetime } from './session.ts'
import type { SessionStore } from './session-store.ts'

/** A login by a connection of an organization, and the browser in which it happens. */
export type MemberBeginning = {
  connectionLogin: ConnectionLogin
  userAgent: string
  ipAddress: string
  previousSecret: string | undefined
  /** The client whose consented scope is wanted; absent for none. */
  clientId?: string | undefined
}

/** The needs of beginning such a session. */
export type MemberSessionDeps = Pick<BeginningDeps, 'randomBytes' | 'randomUuid' | 'now' | 'deliver'> & {
  sessions: Pick<SessionStore, 'beginMember' | 'findAny'>
}

/**
 * Begins a session by a connection of an organization, for which alone the login counts. The browser's previous session of the same user
 * goes on with a new secret: its other logins stay as they are, and it lasts no longer than the login by a way of the instance that it has.
 * That of somebody else ends. Call it after the user was linked: the link, the membership, the organization and the connection are judged
 * here, in the statement that begins the session.
 * @returns undefined when the user is disabled, no member, or no longer linked as this person, or the organization or the connection is
 *   disabled
 */
export async function beginMemberSession(
  { id: userId }: { id: string },
  { connectionLogin, userAgent, ipAddress, previousSecret, clientId }: MemberBeginning,
  { sessions, randomBytes, randomUuid, now, deliver }: MemberSessionDeps,
): Promise<NewSession | undefined> {
  const { organizationId } = connectionLogin
  if (organizationId === undefined) throw new Error('the connection belongs to no organization')
  const secret = createSessionSecret(randomBytes, sessionExpiry(now()))
  const digests = digestsOf(secret)
  const revocationIds = await sessions.beginMember({
    ...{ id: randomUuid(), userId, ...digests, lifetime: sessionLifetime },
    connectionLogin: { ...connectionLogin, organizationId },
    userAgent: keptUserAgent(userAgent),
    ipAddress: keptIpAddress(ipAddress),
    previousDigests: previousDigestsOf(previousSecret),
  })
  if (revocationIds === undefined) return undefined
  await deliver(...revocationIds)
  const session = await sessions.findAny(digests, clientId && storable(clientId))
  return session && { secret, session }
}
