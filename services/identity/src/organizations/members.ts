import type { Actor } from '@gatehouse/kit/actor'
import { isUuid } from '@gatehouse/kit/formats'
import { checkLimit, type Page, type PageRequest } from '@gatehouse/kit/page'
import { isOrganizationId, type MemberRole, organizationLimits } from '@gatehouse/proto/organizations'
import { checkNumber, type ItemResult } from '../basics/item-result.ts'
import type { ActingMember } from './acting.ts'
import { decideMembers, type MemberChange, type MemberDecision, type MemberState } from './member-decision.ts'
import { getOrganization, type OrganizationStore, unknownOrganization } from './organization.ts'
import type { TextAttributes } from './organization-fields.ts'

/** A user who is a member of an organization. */
export type Member = {
  userId: string
  username: string
  role: MemberRole
  disabled: boolean
  joinedAt: Date
  attributes: TextAttributes
  displayName: string | undefined
  email: string | undefined
}

/** Stores the members of organizations. */
export type MemberStore = {
  /** @throws Refusal invalid_request for an invalid cursor */
  list(
    organizationId: string,
    page: PageRequest & { search: string | undefined; userId: string | undefined },
  ): Promise<Page<Member>>
  count(organizationId: string): Promise<number>
  /**
   * Changes members while users and organization are locked. Those who leave lose their groups, roles and consents in it, and a pending
   * revocation of what they granted in it is recorded.
   * @param userIds the users that the change names, without repetitions
   * @param decide when it throws, nothing changes
   */
  change(
    organizationId: string,
    userIds: readonly string[],
    actor: Actor,
    actingMember: ActingMember,
    decide: (state: MemberState) => MemberDecision,
  ): Promise<{ results: MemberDecision['results']; revocationIds: readonly bigint[] } | 'unknown'>
}

/** The needs of listing and changing members. */
export type MemberDeps = {
  members: MemberStore
  organizations: Pick<OrganizationStore, 'get'>
  /** Tells the token service, now or later; never rejects. */
  deliver(...revocationIds: bigint[]): Promise<void>
}

/**
 * The members of an organization by name, and the number of all.
 * @param wanted.search a part of the name, of fewer than three characters its beginning; absent for all
 * @param wanted.userId the one member to list; absent for all
 * @throws Refusal not_found; invalid_request for an invalid limit or cursor
 */
export async function listMembers(
  {
    organizationId,
    search,
    userId,
    withoutTotal = false,
    ...page
  }: PageRequest & {
    organizationId: string
    search?: string | undefined
    userId?: string | undefined
    withoutTotal?: boolean | undefined
  },
  { members, organizations }: Pick<MemberDeps, 'members' | 'organizations'>,
): Promise<Page<Member> & { total: number }> {
  checkLimit(page.limit)
  const found = await getOrganization(organizationId, organizations)
  const wanted = { ...page, search: search?.trim() || undefined, userId }
  const [list, total] = await Promise.all([
    userId === undefined || isUuid(userId)
      ? members.list(found.organizationId, wanted)
      : { items: [], nextCursor: undefined },
    withoutTotal ? 0 : members.count(found.organizationId),
  ])
  return { ...list, total }
}

/**
 * Removes users from an organization, then adds users to it or changes what they are in it. One who cannot be removed or changed does not
 * hinder the others. Whoever is removed loses their groups and roles in it, and what they granted in it ends.
 * @returns a result for each user, in the order of the request
 * @throws Refusal not_found, also for an acting member who does not belong to it and where it is disabled; invalid_request for more users
 *   than a request may name; access_denied for a member who changes more than that they leave
 */
export async function changeMembers(
  { organizationId, ...change }: MemberChange & { organizationId: string },
  actor: Actor,
  { members, deliver }: Pick<MemberDeps, 'members' | 'deliver'>,
  actingMember?: ActingMember,
): Promise<{ set: ItemResult[]; removed: ItemResult[] }> {
  const { set, remove } = change
  for (const [field, items] of Object.entries({ set, remove }))
    checkNumber(field, items, organizationLimits.atOnce)
  const named = [...new Set([...remove, ...set.map(({ userId }) => userId)])].filter(isUuid)
  const changed = isOrganizationId(organizationId)
    ? await members.change(organizationId, named, actor, actingMember, (state) =>
        decideMembers(state, change, actor, actingMember),
      )
    : 'unknown'
  if (changed === 'unknown') throw unknownOrganization()
  await deliver(...changed.revocationIds)
  return changed.results
}
