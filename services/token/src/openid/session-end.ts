import { Refusal } from '@gatehouse/kit/errors'
import type { Emit } from '@gatehouse/kit/events/emission'
import { isUuid } from '@gatehouse/kit/formats'

/** Stores that sessions ended. */
export type SessionEndStore = {
  /**
   * Revokes the grants of a session, except those for offline access (OpenID Connect Back-Channel Logout section 2.7), and
   * records which clients must be told. When it resolves, that applies on every replica.
   * @returns whether this call was the first for the session; any other does nothing
   */
  add(sessionId: string): Promise<boolean>
}

/** The needs of ending sessions. */
export type SessionEndDeps = { sessionEnds: SessionEndStore; emit: Emit }

/**
 * Ends what clients may do in a session that ended.
 * @throws Refusal invalid_request when this is not the id of a session
 */
export async function endSession(sessionId: string, { sessionEnds, emit }: SessionEndDeps): Promise<void> {
  if (!isUuid(sessionId)) throw new Refusal('invalid_request', 'The id of a session must be a UUID.')
  const first = await sessionEnds.add(sessionId)
  if (first) emit('token_revoked', { metadata: { kind: 'session', id: sessionId } })
}
