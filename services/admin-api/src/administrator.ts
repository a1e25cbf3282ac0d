import { type Actor, actorMessage } from '@gatehouse/kit/actor'
import { Refusal } from '@gatehouse/kit/errors'
import { type AdminRole, adminRoles, rolesThatAllow } from '@gatehouse/proto/administration'
import type { Actor as ActorMessage } from '@gatehouse/proto/audit/v1'
import type { FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    /** The administrator who sent the request; null until the guard has accepted them. */
    administrator: Administrator | null
  }
}

/** An administrator whom the guard has accepted. */
export type Administrator = {
  actor: Actor
  /** Their role; undefined for a client. A token may allow less. */
  role: AdminRole | undefined
  /** Their session; undefined when they presented an access token. */
  sessionId: string | undefined
  /** Whether they may do what needs a scope. */
  may(scope: string): boolean
}

/**
 * Gets the administrator who sent a request.
 * @throws Error when no guard has accepted the request
 */
export function administratorOf({ administrator }: FastifyRequest): Administrator {
  if (administrator === null) throw new Error('the guard has not accepted this request')
  return administrator
}

/** @throws Refusal insufficient_scope, or access_denied for a session, when the administrator may not do what needs a scope */
export function checkScope({ may, sessionId }: Administrator, scope: string): void {
  if (may(scope)) return
  if (sessionId === undefined)
    throw new Refusal('insufficient_scope', `The access token lacks the scope ${scope}.`)
  const roles = rolesThatAllow(scope).map((role) => adminRoles[role].title)
  throw new Refusal('access_denied', `Your role does not allow this. Roles that do: ${roles.join(', ')}.`)
}

/** Gets the administrator who sent a request, as the services' RPCs take them. */
export function actorOf(request: FastifyRequest): ActorMessage {
  return actorMessage(administratorOf(request).actor)
}
