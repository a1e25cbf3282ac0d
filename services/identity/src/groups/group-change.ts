import type { Actor } from '@gatehouse/kit/actor'
import { Refusal } from '@gatehouse/kit/errors'
import { isUuid } from '@gatehouse/kit/formats'
import { groupLimits } from '@gatehouse/proto/groups'
import { organizationLimits } from '@gatehouse/proto/organizations'
import { instance, type Place } from '../organizations/acting.ts'
import {
  checkGroupReach,
  checkSettings,
  checkSource,
  type Group,
  type GroupSettings,
  type LockedGroup,
  unknownGroup,
} from './group.ts'

/** Looks at a group while it is locked, and throws if it must not be changed. */
export type CheckGroup = (group: LockedGroup) => void

/**
 * Stores changes to groups. Each writes an audit entry with its actor in the same transaction.
 * @throws Refusal not_found for an organization that does not exist, or of which the acting member is none; access_denied for a member
 *   who does not run it. Then nothing changes
 */
export type GroupChangeStore = {
  create(settings: GroupSettings, actor: Actor, place: Place): Promise<Group | 'name taken' | 'too many'>
  /**
   * Changes a group while it is locked. A new name takes the old one from the members.
   * @param revision the revision that the administrator saw; 0 for any
   * @param check when it throws, nothing changes
   * @returns the group, and the ids of the pending revocations; or why nothing was done
   */
  change(
    groupId: string,
    change: Partial<GroupSettings> & { revision: bigint },
    actor: Actor,
    check: CheckGroup,
    place: Place,
  ): Promise<{ group: Group; revocationIds: readonly bigint[] } | 'unknown' | 'outdated' | 'name taken'>
  /** Deletes a group with its members and roles. @returns the ids of the pending revocations */
  delete(
    groupId: string,
    actor: Actor,
    check: CheckGroup,
    place: Place,
  ): Promise<readonly bigint[] | 'unknown'>
}

/** The needs of changing groups. */
export type GroupChangeDeps = {
  changes: GroupChangeStore
  /** Tells the token service, now or later; never rejects. */
  deliver(...revocationIds: bigint[]): Promise<void>
}

/**
 * Creates a group without members.
 * @throws Refusal invalid_request, which names the field; not_found and access_denied as GroupChangeStore
 */
export async function createGroup(
  settings: GroupSettings,
  actor: Actor,
  { changes }: Pick<GroupChangeDeps, 'changes'>,
  place = instance,
): Promise<Group> {
  const created = await changes.create(checkSettings(settings), actor, place)
  if (created === 'name taken') throw nameTaken()
  if (created === 'too many') {
    const limits = place.organizationId === undefined ? groupLimits : organizationLimits
    const most = limits.groups.toLocaleString('en')
    throw new Refusal('invalid_request', `There are ${most} groups already, the most there may be.`)
  }
  return created
}

/**
 * Changes the name and the description of a group. A new name ends the access tokens that have groups.
 * @param change an absent field stays as it is; revision: the one that the administrator saw, 0 for any
 * @throws Refusal not_found; outdated_revision; invalid_request, which names the field; access_denied as checkSource and checkGroupReach;
 *   not_found and access_denied as GroupChangeStore
 */
export async function updateGroup(
  { groupId, revision, ...change }: Partial<GroupSettings> & { groupId: string; revision: bigint },
  actor: Actor,
  { changes, deliver }: GroupChangeDeps,
  place = instance,
): Promise<Group> {
  const wanted = { ...checkSettings(change), revision }
  if (!isUuid(groupId)) throw unknownGroup()
  const changed = await changes.change(groupId, wanted, actor, checkChange(actor), place)
  if (changed === 'unknown') throw unknownGroup()
  if (changed === 'name taken') throw nameTaken()
  if (changed === 'outdated')
    throw new Refusal('outdated_revision', 'This group was changed meanwhile. Reload it and try again.')
  await deliver(...changed.revocationIds)
  return changed.group
}

/**
 * Deletes a group, and takes its roles from its members.
 * @throws Refusal not_found; access_denied as checkSource and checkGroupReach;
 *   not_found and access_denied as GroupChangeStore
 */
export async function deleteGroup(
  groupId: string,
  actor: Actor,
  { changes, deliver }: GroupChangeDeps,
  place = instance,
): Promise<void> {
  const deleted = isUuid(groupId)
    ? await changes.delete(groupId, actor, checkChange(actor), place)
    : 'unknown'
  if (deleted === 'unknown') throw unknownGroup()
  await deliver(...deleted)
}

const checkChange =
  (actor: Actor): CheckGroup =>
  (group) => {
    checkSource(group)
    checkGroupReach(group, actor)
  }

function nameTaken(): Refusal {
  return new Refusal('invalid_request', 'name is that of another group.')
}
