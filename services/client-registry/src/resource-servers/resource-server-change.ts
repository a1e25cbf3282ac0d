import type { Actor } from '@gatehouse/kit/actor'
import { Refusal } from '@gatehouse/kit/errors'
import { resourceServerLimits } from '@gatehouse/proto/resource-servers'
import {
  checkIdentifier,
  checkSettings,
  type NewResourceServer,
  type ResourceServer,
  type ResourceServerSettings,
} from './resource-server.ts'
import { unknownResourceServer } from './resource-server-list.ts'

/** A resource server after a change, with the pending revocation to deliver to the token service, if there is one. */
export type ChangedResourceServer = { resourceServer: ResourceServer; pending: bigint | undefined }

/** Stores administrators' changes to resource servers, each with an audit entry in the same transaction. */
export type ResourceServerChangeStore = {
  /**
   * Creates a resource server, and revokes what was granted for an earlier one with its identifier.
   * @param most how many there may be
   * @returns why it was not created
   */
  create(
    resourceServer: NewResourceServer,
    actor: Actor,
    most: number,
  ): Promise<ChangedResourceServer | 'identifier taken' | 'too many' | 'unknown client'>
  /**
   * Changes a resource server while it is locked.
   * @param decide returns the changes, and whether they revoke what was granted; when it throws, nothing changes
   * @returns undefined for an unknown resource server
   */
  change(
    resourceId: string,
    decide: (resourceServer: ResourceServer) => DecidedChange,
    actor: Actor,
  ): Promise<ChangedResourceServer | 'unknown client' | undefined>
  /**
   * Deletes a resource server while it is locked, and records a pending revocation.
   * @param check when it throws, nothing is deleted
   * @returns the pending revocation's id; undefined for an unknown resource server
   */
  delete(resourceId: string, actor: Actor, check?: LockedCheck): Promise<bigint | undefined>
}

/** Looks at a resource server while it is locked, and throws if it must not be changed. */
export type LockedCheck = (resourceServer: ResourceServer) => void

/** A change, and whether it revokes what was granted for the resource server until now. */
export type DecidedChange = { change: Partial<ResourceServerSettings>; revokes: boolean }

/** The needs of changing resource servers. */
export type ResourceServerChangeDeps = {
  store: ResourceServerChangeStore
  /** Tells the token service, now or later; never rejects. */
  deliver(revocationId: bigint): Promise<void>
  /** Called after each change: clients with a metadata document may have other scopes now. */
  changed(): Promise<void>
  issuer: string
}

/** A change of a resource server. An absent field stays as it is. */
export type ResourceServerChange = {
  resourceId: string
  /** The revision that the administrator saw; 0 for any. */
  revision: bigint
  change: Partial<ResourceServerSettings>
  check?: LockedCheck
}

/**
 * Creates a resource server.
 * @param wanted.name absent for the host of the identifier
 * @throws Refusal invalid_request, which names the field
 */
export async function createResourceServer(
  wanted: Omit<NewResourceServer, 'name'> & { name?: string | undefined },
  actor: Actor,
  { store, issuer, ...deps }: ResourceServerChangeDeps,
): Promise<ResourceServer> {
  const identifier = checkIdentifier(wanted.identifier, issuer)
  const name = wanted.name?.trim() || hostOf(identifier)
  const settings = checkSettings({ ...wanted, name })
  const created = await store.create({ ...settings, identifier }, actor, resourceServerLimits.servers)
  if (created === 'identifier taken')
    throw new Refusal('invalid_request', 'identifier is that of another resource server.')
  if (created === 'too many') {
    const most = resourceServerLimits.servers.toLocaleString('en')
    throw new Refusal('invalid_request', `There are ${most} resource servers already, the most there may be.`)
  }
  return delivered(created, deps)
}

/**
 * Changes a resource server. Disabling it, enabling it again, closing it to registration, or taking a
 * scope away revokes the tokens, codes and refresh
 * tokens that were granted for it.
 * @throws Refusal not_found; outdated_revision; invalid_request, which names the field
 */
export async function updateResourceServer(
  { resourceId, revision, change, check }: ResourceServerChange,
  actor: Actor,
  { store, ...deps }: Omit<ResourceServerChangeDeps, 'issuer'>,
): Promise<ResourceServer> {
  const decide = (current: ResourceServer) => {
    if (revision !== 0n && revision !== current.revision) throw changedMeanwhile()
    check?.(current)
    return decided(current, checkSettings(change))
  }
  const changed = await store.change(resourceId, decide, actor)
  if (changed === undefined) throw unknownResourceServer()
  return delivered(changed, deps)
}

/**
 * Deletes a resource server and revokes what was granted for it.
 * @throws Refusal not_found
 */
export async function deleteResourceServer(
  resourceId: string,
  actor: Actor,
  { store, ...deps }: Omit<ResourceServerChangeDeps, 'issuer'>,
  check?: LockedCheck,
): Promise<void> {
  const pending = await store.delete(resourceId, actor, check)
  if (pending === undefined) throw unknownResourceServer()
  await deps.deliver(pending)
  await deps.changed()
}

/** The refusal of a change that was decided on an earlier state. */
export function changedMeanwhile(): Refusal {
  return new Refusal(
    'outdated_revision',
    'This resource server was changed meanwhile. Reload it and try again.',
  )
}

/** The host of a URI, or the beginning of one without a host. */
function hostOf(identifier: string): string {
  return new URL(identifier).host || identifier.slice(0, resourceServerLimits.name)
}

async function delivered(
  changed: ChangedResourceServer | 'unknown client',
  { deliver, changed: onChange }: Pick<ResourceServerChangeDeps, 'deliver' | 'changed'>,
): Promise<ResourceServer> {
  if (changed === 'unknown client')
    throw new Refusal('invalid_request', 'client_id must be the id of a client.')
  if (changed.pending !== undefined) await deliver(changed.pending)
  await onChange()
  return changed.resourceServer
}

function decided(current: ResourceServer, wanted: Partial<ResourceServerSettings>): DecidedChange {
  const names = Object.keys(wanted) as (keyof ResourceServerSettings)[]
  const differing = names.filter((name) => JSON.stringify(current[name]) !== JSON.stringify(wanted[name]))
  const change = Object.fromEntries(differing.map((name) => [name, wanted[name]]))
  const kept = new Set((wanted.scopes ?? current.scopes).map(({ scope }) => scope))
  const narrowed = current.scopes.some(({ scope }) => !kept.has(scope))
  const closed = current.openRegistration && wanted.openRegistration === false
  return { change, revokes: narrowed || closed || differing.includes('disabled') }
}
