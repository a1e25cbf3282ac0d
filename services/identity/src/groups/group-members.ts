import { type Actor, refuseLimited } from '@gatehouse/kit/actor'
import { isUuid } from '@gatehouse/kit/formats'
import { checkLimit, type Page, type PageRequest } from '@gatehouse/kit/page'
import { groupLimits } from '@gatehouse/proto/groups'
import { checkNumber, type ItemResult, refused, refusedBy } from '../basics/item-result.ts'
import { type InOrganization, instance, outsiderWords, type Place } from '../organizations/acting.ts'
import { checkMember, type InsideStore } from '../organizations/inside.ts'
import { getUser, type UserListStore } from '../users/user-list.ts'
import { checkSource, type Group, type GroupStore, getGroup, unknownGroup } from './group.ts'
import type { CheckGroup } from './group-change.ts'

/** A member of a group. */
export type GroupMember = { userId: string; username: string; disabled: boolean; addedAt: Date }

/** Which users join a group, and which leave it before. */
export type MemberChange = { add: readonly string[]; remove: readonly string[] }

/** The users of a change of members, by what was done. All others stayed as they were. */
export type ChangedMembers = {
  added: ReadonlySet<string>
  removed: ReadonlySet<string>
  /** Those who are in as many groups as a user may be. */
  full: ReadonlySet<string>
  unknown: ReadonlySet<string>
  administrators: ReadonlySet<string>
  /** Those who are no members of the organization whose group it is. */
  outsiders: ReadonlySet<string>
  revocationIds: readonly bigint[]
}

/** Stores the members of groups. */
export type GroupMemberStore = {
  /** @throws Refusal invalid_request for an invalid cursor */
  list(groupId: string, page: PageRequest & { search: string | undefined }): Promise<Page<GroupMember>>
  count(groupId: string): Promise<number>
  /** The groups of a user by name. @throws Refusal invalid_request for an invalid cursor */
  groupsOf(userId: string, page: PageRequest, organization: InOrganization): Promise<Page<Group>>
  /**
   * Removes and adds members while users and group are locked, and records what that takes from them for the token service. The actor, if
   * limited, changes nothing for administrators.
   * @param change ids of users, without repetitions
   * @param check when it throws, nothing changes
   * @throws Refusal as GroupChangeStore
   */
  change(
    groupId: string,
    change: MemberChange,
    actor: Actor,
    check: CheckGroup,
    place: Place,
  ): Promise<ChangedMembers | 'unknown'>
}

/** The needs of listing and changing members. */
export type GroupMemberDeps = {
  members: GroupMemberStore
  groups: Pick<GroupStore, 'get'>
  users: Pick<UserListStore, 'get'>
  inside: InsideStore
  /** Tells the token service, now or later; never rejects. */
  deliver(...revocationIds: bigint[]): Promise<void>
}

/**
 * The members of a group by name, and the number of all.
 * @param wanted.search a part of the name, of fewer than three characters its beginning; absent for all
 * @throws Refusal not_found; invalid_request for an invalid limit or cursor
 */
export async function listMembers(
  { groupId, search, ...page }: PageRequest & { groupId: string; search?: string | undefined },
  { members, groups }: Pick<GroupMemberDeps, 'members' | 'groups'>,
  organization?: InOrganization,
): Promise<Page<GroupMember> & { total: number }> {
  checkLimit(page.limit)
  await getGroup(groupId, groups, organization)
  const wanted = { ...page, search: search?.trim() || undefined }
  const [found, total] = await Promise.all([members.list(groupId, wanted), members.count(groupId)])
  return { ...found, total }
}

/**
 * The groups of a user by name.
 * @throws Refusal not_found, in an organization for all but its members; invalid_request for an invalid limit or cursor
 */
export async function listUserGroups(
  { userId, ...page }: PageRequest & { userId: string },
  { members, users, inside }: Pick<GroupMemberDeps, 'members' | 'users' | 'inside'>,
  organization?: InOrganization,
): Promise<Page<Group>> {
  checkLimit(page.limit)
  if (organization === undefined) await getUser(userId, users)
  else await checkMember(userId, organization, inside)
  return members.groupsOf(userId, page, organization)
}

/**
 * Removes users from a group, then adds users to it. One who cannot be removed or added does not hinder the others. Removing a user ends
 * the access tokens that they have roles or groups in.
 * @returns a result for each user, in the order of the request
 * @throws Refusal not_found; invalid_request for more users than a request may name; access_denied as checkSource; as GroupChangeStore
 */
export async function changeMembers(
  { groupId, add, remove }: MemberChange & { groupId: string },
  actor: Actor,
  { members, deliver }: Pick<GroupMemberDeps, 'members' | 'deliver'>,
  place = instance,
): Promise<{ added: ItemResult[]; removed: ItemResult[] }> {
  for (const [field, ids] of Object.entries({ add, remove })) checkNumber(field, ids, groupLimits.atOnce)
  const ids = (named: readonly string[]) => [...new Set(named.filter(isUuid))]
  const wanted = { add: ids(add), remove: ids(remove) }
  const changed = isUuid(groupId)
    ? await members.change(groupId, wanted, actor, checkSource, place)
    : 'unknown'
  if (changed === 'unknown') throw unknownGroup()
  await deliver(...changed.revocationIds)
  const resultOf = (done: ReadonlySet<string>) => (userId: string) =>
    refusalOf(userId, changed, actor, place) ??
    ({ outcome: done.has(userId) ? 'done' : 'unchanged' } as const)
  return {
    added: add.map((userId) =>
      changed.full.has(userId) ? refused(tooManyGroups) : resultOf(changed.added)(userId),
    ),
    removed: remove.map(resultOf(changed.removed)),
  }
}

const tooManyGroups = `The user is in ${groupLimits.groupsOfUser.toLocaleString('en')} groups already, the most there may be.`

function refusalOf(
  userId: string,
  { unknown, outsiders, administrators }: ChangedMembers,
  actor: Actor,
  place: Place,
): ItemResult | undefined {
  const isUnknown = !isUuid(userId) || unknown.has(userId)
  if (isUnknown || outsiders.has(userId)) return refused(outsiderWords(isUnknown, place))
  return actor.limited && administrators.has(userId)
    ? refusedBy(() => refuseLimited(actor, 'the user is an administrator'))
    : undefined
}
