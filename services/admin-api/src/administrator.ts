import { type Actor, actorMessage } from '@gatehouse/kit/actor'
import type { Actor as ActorMessage } from '@gatehouse/proto/audit/v1'
import type { FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who sent it, once the guard has let them in. */
    administrator: Administrator | null
  }
}

/** Somebody whom the guard has let in. */
export type Administrator = {
  actor: Actor
  /** The session that they came with. Absent: they came with an access token. */
  sessionId: string | undefined
}

/**
 * Who sent a request that the guard has let in.
 * @throws Error where no guard has
 */
export function administratorOf({ administrator }: FastifyRequest): Administrator {
  if (administrator === null) throw new Error('the guard has let nobody in')
  return administrator
}

/** The same, for the calls that change something. */
export function actorOf(request: FastifyRequest): ActorMessage {
  return actorMessage(administratorOf(request).actor)
}
