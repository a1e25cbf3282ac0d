import { ActorKind, type Actor as ActorMessage } from '@gatehouse/proto/audit/v1'
import { Refusal } from './errors.ts'

/** Who does something as an administrator. */
export type Actor = {
  /** A client acts for itself, by an access token that no user is behind. */
  kind: 'user' | 'client'
  /** The user's id, or the client's. */
  id: string
  /** The user's name; of a client its id. */
  name: string
  ipAddress: string
}

/**
 * Reads who does something.
 * @throws Refusal invalid_request where it is not said: nothing is done without saying who did it
 */
export function readActor(message: ActorMessage | undefined): Actor {
  const kind = message && kindOf(message.kind)
  if (message === undefined || kind === undefined || message.id === '')
    throw new Refusal('invalid_request', 'The actor is missing.')
  const { id, name, ipAddress } = message
  return { kind, id, name, ipAddress }
}

/** Who does something, for a call to another service. */
export function actorMessage({ kind, ...actor }: Actor): ActorMessage {
  return { ...actor, kind: kind === 'user' ? ActorKind.ACTOR_KIND_USER : ActorKind.ACTOR_KIND_CLIENT }
}

function kindOf(kind: ActorKind): Actor['kind'] | undefined {
  if (kind === ActorKind.ACTOR_KIND_USER) return 'user'
  return kind === ActorKind.ACTOR_KIND_CLIENT ? 'client' : undefined
}
