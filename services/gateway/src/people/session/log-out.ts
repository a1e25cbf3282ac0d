import type { Emit } from '@gatehouse/kit/events/emission'
import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import type { IdentityServiceService } from '@gatehouse/proto/identity/v1'
import type { FastifyReply } from 'fastify'
import type { AnySession, BrowserSessions } from './browser-session.ts'

/** The needs of logging out. */
export type LogOutDeps = {
  identity: Pick<RpcClient<typeof IdentityServiceService>, 'endSession'>
  sessions: Pick<BrowserSessions, 'end'>
  emit: Emit
}

/**
 * Ends the session of a browser and clears its cookie.
 * @param clientId the client that asked for it; undefined when the user did
 */
export async function logOut(
  reply: FastifyReply,
  { session, clientId }: { session: AnySession; clientId?: string | undefined },
  { identity, sessions, emit }: LogOutDeps,
): Promise<void> {
  const { userId } = session.user
  await identity.endSession({ userId, sessionId: session.sessionId })
  emit('user_logout', { userId, clientId, metadata: {} })
  sessions.end(reply)
}
