import { ActorKind, type Actor as ActorMessage } from '@gatehouse/proto/audit/v1'
import { Refusal } from './errors.ts'

/** The administrator who makes a change. */
export type Actor = {
  /** A client acts for itself, with an access token that has no user. */
  kind: 'user' | 'client'
  /** The user's id, or the client's. */
  id: string
  /** The user's name, or the client's id. */
  name: string
  ipAddress: string
  /** Whether they may administer only a part, and so act neither on administrators nor on clients with a scope of the administration. */
  limited?: boolean | undefined
}

/** The server itself, which deletes what nobody uses. It is only the actor of entries in the audit log, never of a call. */
export type SystemActor = Omit<Actor, 'kind'> & { kind: 'system' }

/** The server itself, as the audit log has it. */
export const systemActor: SystemActor = { kind: 'system', id: 'system', name: 'system', ipAddress: '' }

const kinds = {
  user: ActorKind.ACTOR_KIND_USER,
  client: ActorKind.ACTOR_KIND_CLIENT,
  system: ActorKind.ACTOR_KIND_SYSTEM,
} as const

/**
 * Reads the actor of a call.
 * @throws Refusal invalid_request when it is missing: every change must have an actor for the audit log
 */
export function readActor(message: ActorMessage | undefined): Actor {
  const kind = message && kindOf(message.kind)
  if (message === undefined || kind === undefined || message.id === '')
    throw new Refusal('invalid_request', 'The actor is missing.')
  const { id, name, ipAddress, limited } = message
  return { kind, id, name, ipAddress, limited }
}

/** The actor as a message, for a call to another service or for a list. */
export function actorMessage({ kind, ...actor }: Actor | SystemActor): ActorMessage {
  return { ...actor, kind: kinds[kind] }
}

/**
 * Refuses what a limited administrator may not do.
 * @param why what it is, as the rest of a sentence: `the user is an administrator`
 * @throws Refusal access_denied when the actor is limited
 */
export function refuseLimited({ limited }: Pick<Actor, 'limited'>, why: string): void {
  if (limited) throw new Refusal('access_denied', `This needs the scope admin, or the role owner: ${why}.`)
}

function kindOf(kind: ActorKind): Actor['kind'] | undefined {
  if (kind === ActorKind.ACTOR_KIND_USER) return 'user'
  return kind === ActorKind.ACTOR_KIND_CLIENT ? 'client' : undefined
}
