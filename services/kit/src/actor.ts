import { ActorKind, type Actor as ActorMessage } from '@gatehouse/proto/audit/v1'
import { Refusal } from './errors.ts'
import { keptIpAddress, keptUserAgent } from './storable.ts'

/** From where a request came. */
export type Caller = {
  ipAddress: string
  /** The User-Agent header; absent if there was none. */
  userAgent?: string | undefined
}

/** The administrator who makes a change. */
export type Actor = Caller & {
  /** A client acts for itself, with an access token that has no user. */
  kind: 'user' | 'client'
  /** The user's id, or the client's. */
  id: string
  /** The user's name, or the client's id. */
  name: string
  /** Whether they may administer only a part, and so act neither on administrators nor on clients with a scope of the administration. */
  limited?: boolean | undefined
  /** Whether a member logged in by a connection of the organization for which they act. They act as an admin at most. */
  byConnection?: boolean | undefined
}

/**
 * Reads the actor of a call.
 * @throws Refusal invalid_request when it is missing: every change must have an actor for the audit log
 */
export function readActor(message: ActorMessage | undefined): Actor {
  const kind = message && kindOf(message.kind)
  if (message === undefined || kind === undefined || message.id === '')
    throw new Refusal('invalid_request', 'The actor is missing.')
  const { id, name, ipAddress, limited, byConnection, userAgent } = message
  return { kind, id, name, limited, byConnection, ...keptCaller({ ipAddress, userAgent }) }
}

/** From where a request came, as it is stored and logged: short texts without anything invisible. */
export function keptCaller({ ipAddress, userAgent = '' }: Caller): Caller {
  return { ipAddress: keptIpAddress(ipAddress), userAgent: keptUserAgent(userAgent) || undefined }
}

/** The actor as a message, for a call to another service. */
export function actorMessage({ kind, ...actor }: Actor): ActorMessage {
  return { ...actor, kind: kind === 'user' ? ActorKind.ACTOR_KIND_USER : ActorKind.ACTOR_KIND_CLIENT }
}

/**
 * Refuses an action that a limited administrator may not take.
 * @param why the reason, as the rest of a sentence: `the user is an administrator`
 * @throws Refusal access_denied when the actor is limited
 */
export function refuseLimited({ limited }: Pick<Actor, 'limited'>, why: string): void {
  if (limited) throw new Refusal('access_denied', `This needs the scope admin, or the role owner: ${why}.`)
}

function kindOf(kind: ActorKind): Actor['kind'] | undefined {
  if (kind === ActorKind.ACTOR_KIND_USER) return 'user'
  return kind === ActorKind.ACTOR_KIND_CLIENT ? 'client' : undefined
}
