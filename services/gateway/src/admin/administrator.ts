import { type Actor, actorMessage } from '@gatehouse/kit/actor'
import type { Actor as ActorMessage } from '@gatehouse/proto/audit/v1'
import type { FastifyRequest } from 'fastify'
import type { BrowserSession } from '../browser-session.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who sent it, once the guard has let them in. */
    administrator: Administrator | null
  }
}

/** Who may do what administrators may. */
export type Administrator = {
  actor: Actor
  /** Absent: they came with an access token. */
  session: BrowserSession | undefined
}

/** Who sent a request that the guard has let in. */
export function administratorOf({ administrator }: FastifyRequest): Administrator {
  if (administrator === null) throw new Error('the guard has let nobody in')
  return administrator
}

/** The same, for the calls that change something. */
export function actorOf(request: FastifyRequest): ActorMessage {
  return actorMessage(administratorOf(request).actor)
}
