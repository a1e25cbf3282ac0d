import { type Actor, refuseLimited } from '@gatehouse/kit/actor'
import { isUuid } from '@gatehouse/kit/formats'
import { checkLimit, type Page, type PageRequest } from '@gatehouse/kit/page'
import { groupLimits } from '@gatehouse/proto/groups'
import { checkNumber, type ItemResult, refused, refusedBy } from '../basics/item-result.ts'
import {
  checkGroupReach,
  type GroupStore,
  getGroup,
  type LockedGroup,
  unknownGroup,
} from '../groups/group.ts'
import { type InOrganization, instance, outsiderWords, type Place } from '../organizations/acting.ts'
import { checkMember, checkOrganization, type InsideStore } from '../organizations/inside.ts'
import { getUser, type UserListStore } from '../users/user-list.ts'

/** A user or a group to whom roles are given. */
export type Holder = { kind: 'user' | 'group'; id: string }

/** A role of a resource server, and who has it. */
export type RoleAssignment = {
  resourceId: string
  /** The identifier of the resource server. */
  resource: string
  role: string
  holder: Holder
}

/** A role that a user or a group has. */
export type HeldRole = Omit<RoleAssignment, 'holder'> & {
  givenAt: Date
  /** The group by which a user has it; absent for a role of their own, and for one of a group. */
  groupId: string | undefined
  groupName: string | undefined
}

/** A user or a group that has a role, with its name. */
export type RoleHolder = { holder: Holder; name: string; givenAt: Date }

/** The grounds of a change of roles, and its result. Everything else stayed as it was. */
export type ChangedRoles = {
  given: readonly RoleAssignment[]
  taken: readonly RoleAssignment[]
  /** In an organization its members. */
  users: ReadonlyMap<string, { isAdministrator: boolean }>
  /** Those who are no members of the organization. */
  outsiders: ReadonlySet<string>
  groups: ReadonlyMap<string, LockedGroup>
  revocationIds: readonly bigint[]
}

/** Stores which users and groups have which roles. */
export type RoleAssignmentStore = {
  /**
   * The roles of a user or a group by resource server.
   * @param effective whether those of the user's groups are among them
   * @throws Refusal invalid_request for an invalid cursor
   */
  heldBy(
    holder: Holder,
    effective: boolean,
    page: PageRequest,
    organization: InOrganization,
  ): Promise<Page<HeldRole>>
  /** The users and groups with a role, oldest assignment first. @throws Refusal invalid_request for an invalid cursor */
  holders(
    role: Pick<RoleAssignment, 'resourceId' | 'role'>,
    page: PageRequest,
    organization: InOrganization,
  ): Promise<Page<RoleHolder>>
  /**
   * Takes and gives roles while users and groups are locked, and records for the token service what that takes from them.
   * @param allows whether an assignment of a holder who exists may be changed
   * @throws Refusal not_found for an organization that does not exist, or of which the acting member is none; access_denied for a member
   *   who does not run it. Then nothing changes
   */
  change(
    change: { give: readonly RoleAssignment[]; take: readonly RoleAssignment[] },
    actor: Actor,
    allows: (holder: { isAdministrator: boolean } | LockedGroup) => boolean,
    place: Place,
  ): Promise<ChangedRoles>
  /** Deletes the assignments of all roles of a resource server. */
  forget(resourceId: string, keptRoles: readonly string[]): Promise<void>
}

/** The needs of listing and changing assignments. */
export type RoleAssignmentDeps = {
  assignments: RoleAssignmentStore
  users: Pick<UserListStore, 'get'>
  groups: Pick<GroupStore, 'get'>
  inside: InsideStore
  /** Tells the token service, now or later; never rejects. */
  deliver(...revocationIds: bigint[]): Promise<void>
}

/**
 * The roles of a user or a group by resource server.
 * @param wanted.effective whether those of a user's groups are among them
 * @throws Refusal not_found; invalid_request for an invalid limit or cursor
 */
export async function listHeldRoles(
  { holder, effective, ...page }: PageRequest & { holder: Holder; effective: boolean },
  { assignments, users, groups, inside }: Omit<RoleAssignmentDeps, 'deliver'>,
  organization?: InOrganization,
): Promise<Page<HeldRole>> {
  checkLimit(page.limit)
  if (holder.kind === 'user' && organization !== undefined) await checkMember(holder.id, organization, inside)
  else if (holder.kind === 'user') await getUser(holder.id, users)
  else await getGroup(holder.id, groups, organization)
  return assignments.heldBy(holder, effective, page, organization)
}

/**
 * The users and groups with a role, oldest assignment first. There are none for an unknown resource server or role.
 * @throws Refusal not_found for an unknown organization; invalid_request for an invalid limit or cursor
 */
export async function listRoleHolders(
  { resourceId, role, ...page }: PageRequest & Pick<RoleAssignment, 'resourceId' | 'role'>,
  { assignments, inside }: Pick<RoleAssignmentDeps, 'assignments' | 'inside'>,
  organization?: InOrganization,
): Promise<Page<RoleHolder>> {
  checkLimit(page.limit)
  await checkOrganization(organization, inside)
  if (!isUuid(resourceId)) return { items: [], nextCursor: undefined }
  return assignments.holders({ resourceId, role }, page, organization)
}

/**
 * Takes roles from users and groups, then gives roles to them. One that cannot be given or taken does not hinder the others. Taking a role
 * ends the access tokens that were made by it. An administrator of only a part changes roles neither of administrators, themselves
 * included, nor of groups of which they are members.
 * @param change the caller has looked up that the resource servers have the roles that are given
 * @returns a result for each, in the order of the request
 * @throws Refusal invalid_request for more than a request may name; not_found and access_denied as RoleAssignmentStore
 */
export async function changeRoles(
  { give, take }: { give: readonly RoleAssignment[]; take: readonly RoleAssignment[] },
  actor: Actor,
  { assignments, deliver }: Pick<RoleAssignmentDeps, 'assignments' | 'deliver'>,
  place = instance,
): Promise<{ given: ItemResult[]; taken: ItemResult[] }> {
  for (const [field, items] of Object.entries({ give, take })) checkNumber(field, items, groupLimits.atOnce)
  const wanted = { give: distinct(give), take: distinct(take) }
  const allows = (holder: Parameters<typeof refusalFor>[0]) => refusalFor(holder, actor) === undefined
  const changed = await assignments.change(wanted, actor, allows, place)
  await deliver(...changed.revocationIds)
  const resultIn = (done: readonly RoleAssignment[]) => {
    const keys = new Set(done.map(keyOf))
    return (assignment: RoleAssignment): ItemResult =>
      refusalOf(assignment.holder, changed, actor, place) ?? {
        outcome: keys.has(keyOf(assignment)) ? 'done' : 'unchanged',
      }
  }
  return { given: give.map(resultIn(changed.given)), taken: take.map(resultIn(changed.taken)) }
}

/**
 * Deletes the assignments of roles that a resource server has no longer, so that nobody has one that is made anew.
 * @param keptRoles the names of the roles that it still has; empty for one that was deleted
 */
export async function forgetResourceServer(
  { resourceId, keptRoles }: { resourceId: string; keptRoles: readonly string[] },
  { assignments }: Pick<RoleAssignmentDeps, 'assignments'>,
): Promise<void> {
  if (isUuid(resourceId)) await assignments.forget(resourceId, keptRoles)
}

function keyOf({ resourceId, role, holder }: RoleAssignment): string {
  return JSON.stringify([resourceId, role, holder.kind, holder.id])
}

/** The assignments without repetitions, and without ids that name nothing. */
function distinct(assignments: readonly RoleAssignment[]): RoleAssignment[] {
  const valid = assignments.filter(({ resourceId, holder }) => isUuid(resourceId) && isUuid(holder.id))
  return [...new Map(valid.map((assignment) => [keyOf(assignment), assignment])).values()]
}

function refusalOf(
  { kind, id }: Holder,
  { users, outsiders, groups }: ChangedRoles,
  actor: Actor,
  place: Place,
): ItemResult | undefined {
  const found = kind === 'user' ? users.get(id) : groups.get(id)
  if (found !== undefined) return refusalFor(found, actor)
  return refused(kind === 'user' ? outsiderWords(!outsiders.has(id), place) : unknownGroup().description)
}

function refusalFor(
  holder: { isAdministrator: boolean } | LockedGroup,
  actor: Actor,
): ItemResult | undefined {
  return refusedBy(() => {
    if ('hasAdministrators' in holder) checkGroupReach(holder, actor)
    else if (holder.isAdministrator) refuseLimited(actor, 'the user is an administrator')
  })
}
