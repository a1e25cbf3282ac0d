import type { Actor } from '@gatehouse/kit/actor'
import { Refusal } from '@gatehouse/kit/errors'
import { resourceServerLimits } from '@gatehouse/proto/resource-servers'
import { checkRoles, lostRoles, withinScopes } from './resource-role.ts'
import {
  checkIdentifier,
  checkSettings,
  type NewResourceServer,
  type ResourceServer,
  type ResourceServerSettings,
} from './resource-server.ts'
import { unknownResourceServer } from './resource-server-list.ts'

/** A resource server after a change, with the ids of the pending revocations to deliver to the token service. */
export type ChangedResourceServer = { resourceServer: ResourceServer; pending: readonly bigint[] }

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
   * @param decide returns the changes and what they take away; when it throws, nothing changes
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

/** A change, and what it takes away. */
export type DecidedChange = {
  change: Partial<ResourceServerSettings>
  /** Whether it revokes what was granted for the resource server until now. */
  revokes: boolean
  /** Whether it ends the access tokens that were made by older roles of the resource server. */
  endsOlderRoles: boolean
  /** The names of the roles that it deletes, or from which it takes a scope. */
  lostRoles: readonly string[]
}

/** The needs of changing resource servers. */
export type ResourceServerChangeDeps = {
  store: ResourceServerChangeStore
  /** Tells the token service, now or later; never rejects. */
  deliver(...revocationIds: bigint[]): Promise<void>
  /** Called after each change: clients with a metadata document may have other scopes now. */
  changed(): Promise<void>
  issuer: string
  /** Whether the server gives the scopes `groups`, `roles` and `organization` a meaning. */
  organizations: boolean
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
  { store, issuer, organizations, ...deps }: ResourceServerChangeDeps,
): Promise<ResourceServer> {
  const identifier = checkIdentifier(wanted.identifier, issuer)
  const name = wanted.name?.trim() || hostOf(identifier)
  const checked = checkSettings({ ...wanted, name }, { organizations, before: [] })
  const settings = { ...checked, roles: checkRoles(checked.roles, checked.scopes) }
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
 * Changes a resource server. Disabling it, enabling it again, closing it to registration, or taking a scope away revokes the tokens, codes
 * and refresh tokens that were granted for it. Deleting a role, taking a scope from one, or letting roles give its scopes ends the access
 * tokens that were made by its older roles; so do clients that have such a role lose the tokens that they have without a user.
 * @throws Refusal not_found; outdated_revision; invalid_request, which names the field
 */
export async function updateResourceServer(
  { resourceId, revision, change, check }: ResourceServerChange,
  actor: Actor,
  { store, organizations, ...deps }: Omit<ResourceServerChangeDeps, 'issuer'>,
): Promise<ResourceServer> {
  const decide = (current: ResourceServer) => {
    if (revision !== 0n && revision !== current.revision) throw changedMeanwhile()
    check?.(current)
    const checked = checkSettings(change, { organizations, before: current.scopes })
    return decided(current, { ...checked, ...rolesIn(checked, current) })
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
  { store, ...deps }: Pick<ResourceServerChangeDeps, 'store' | 'deliver' | 'changed'>,
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
  if (changed.pending.length > 0) await deliver(...changed.pending)
  await onChange()
  return changed.resourceServer
}

/**
 * The roles after a change. A scope that is taken from the resource server is taken from its roles too, unless the change brings other roles.
 * @throws Refusal invalid_request
 */
function rolesIn(
  { roles, scopes }: Partial<ResourceServerSettings>,
  current: ResourceServer,
): Partial<Pick<ResourceServerSettings, 'roles'>> {
  if (roles !== undefined) return { roles: checkRoles(roles, scopes ?? current.scopes) }
  return scopes === undefined ? {} : { roles: withinScopes(current.roles, scopes) }
}

function decided(current: ResourceServer, wanted: Partial<ResourceServerSettings>): DecidedChange {
  const names = Object.keys(wanted) as (keyof ResourceServerSettings)[]
  const differing = names.filter((name) => JSON.stringify(current[name]) !== JSON.stringify(wanted[name]))
  const change = Object.fromEntries(differing.map((name) => [name, wanted[name]]))
  const kept = new Set((wanted.scopes ?? current.scopes).map(({ scope }) => scope))
  const narrowed = current.scopes.some(({ scope }) => !kept.has(scope))
  const closed = current.openRegistration && wanted.openRegistration === false
  const lost = lostRoles(current.roles, wanted.roles ?? current.roles)
  const byRole = !current.scopesByRole && wanted.scopesByRole === true
  return {
    change,
    revokes: narrowed || closed || differing.includes('disabled'),
    endsOlderRoles: lost.length > 0 || byRole,
    lostRoles: lost,
  }
}
