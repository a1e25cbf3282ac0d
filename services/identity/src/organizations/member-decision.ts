import { type Actor, refuseLimited } from '@gatehouse/kit/actor'
import { Refusal } from '@gatehouse/kit/errors'
import { organizationLimits as limits, type MemberRole } from '@gatehouse/proto/organizations'
import { type ItemResult, refused, refusedBy } from '../basics/item-result.ts'
import { checkOwns, checkRuns, type LockedOrganization } from './acting.ts'
import { readAttributes, type TextAttributes } from './organization-fields.ts'

/** A user and the role that they are to have in an organization. */
export type NewMember = {
  userId: string
  role: MemberRole
  /** Those that they have in it from then on, as they were sent; undefined leaves them as they are. */
  attributes?: Readonly<Record<string, unknown>> | undefined
}

/** Which users leave an organization, and what others are in it afterwards. */
export type MemberChange = { set: readonly NewMember[]; remove: readonly string[] }

/** The role and the attributes of a member in an organization. */
export type Standing = { role: MemberRole; attributes: TextAttributes }

/** The users that a change names, and their organization, all of them locked. */
export type MemberState = {
  organization: LockedOrganization
  /** Those who exist. `organizations`: in how many they are. */
  users: ReadonlyMap<string, { isAdministrator: boolean; disabled: boolean; organizations: number }>
  /** Those among them who are members. */
  members: ReadonlyMap<string, Standing>
  /** The number of all members. */
  memberCount: number
  /** The number of owners who are active and whom the change does not name. */
  otherOwners: number
}

/** The users who leave and those who get a role, with a result for each item in the order of the request. */
export type MemberDecision = {
  leaving: ReadonlySet<string>
  changed: ReadonlyMap<string, Standing>
  results: { set: ItemResult[]; removed: ItemResult[] }
}

/**
 * Decides what a change of members does: first who leaves, then what others are. An owner who is active stays at any time, so owners who
 * are disabled do not count. Members add nobody: whom they want they invite.
 * @throws Refusal access_denied for an acting member who changes more than that they leave
 */
export function decideMembers(
  state: MemberState,
  { set, remove }: MemberChange,
  actor: Actor,
  actingMember: string | undefined,
): MemberDecision {
  const { organization, users } = state
  const leavesOnly = set.length === 0 && remove.every((userId) => userId === actingMember)
  if (!leavesOnly) checkRuns(organization)
  const now = new Map(state.members)
  const leaving = new Set<string>()
  const changed = new Map<string, Standing>()

  function refusalOf(userId: string): ItemResult | undefined {
    // Otherwise a member could find out which ids users have, and pull them in.
    if (organization.acting !== 'administrator' && !now.has(userId)) return noMember
    const user = users.get(userId)
    if (user === undefined) return noUser
    if (user.isAdministrator) return refusedBy(() => refuseLimited(actor, 'the user is an administrator'))
    return undefined
  }

  /** The refusal of taking what an owner is from somebody. */
  function ownerRefusal(userId: string): ItemResult | undefined {
    if (now.get(userId)?.role !== 'owner') return undefined
    const others = [...now].filter(
      ([id, { role }]) => id !== userId && role === 'owner' && users.get(id)?.disabled === false,
    )
    return refusedBy(() => {
      checkOwns(organization, actor)
      if (state.otherOwners + others.length === 0) throw lastOwner()
    })
  }

  function removeOne(userId: string): ItemResult {
    const refusal = refusalOf(userId) ?? ownerRefusal(userId)
    if (refusal) return refusal
    if (!now.delete(userId)) return { outcome: 'unchanged' }
    leaving.add(userId)
    return { outcome: 'done' }
  }

  function setOne({ userId, role, attributes: sent }: NewMember): ItemResult {
    const member = now.get(userId)
    const refusal = refusalOf(userId)
    if (refusal) return refusal
    const read = sent === undefined ? { attributes: member?.attributes ?? {} } : readAttributes(sent)
    if ('fault' in read) return refused(`attributes ${read.fault}.`)
    const wanted = { role, attributes: read.attributes }
    if (member !== undefined && JSON.stringify(member) === JSON.stringify(wanted))
      return { outcome: 'unchanged' }
    const demotes = role === 'owner' ? undefined : ownerRefusal(userId)
    const touchesOwner = role === 'owner' || member?.role === 'owner'
    const notAllowed = demotes ?? (touchesOwner ? refusedBy(() => checkOwns(organization, actor)) : undefined)
    if (notAllowed) return notAllowed
    if (member === undefined) {
      const full = fullness(userId)
      if (full !== undefined) return refused(full)
    }
    now.set(userId, wanted)
    changed.set(userId, wanted)
    return { outcome: 'done' }
  }

  function fullness(userId: string): string | undefined {
    const left = leaving.has(userId) ? 1 : 0
    if (state.memberCount - state.members.size + now.size >= limits.members)
      return `The organization has ${limits.members.toLocaleString('en')} members already, the most there may be.`
    if ((users.get(userId)?.organizations ?? 0) - left >= limits.organizationsOfUser)
      return `The user is in ${limits.organizationsOfUser} organizations already, the most there may be.`
    return undefined
  }

  const removed = remove.map(removeOne)
  return { leaving, changed, results: { removed, set: set.map(setOne) } }
}

const noUser = refused('There is no such user.')
const noMember = refused('There is no such member.')

/** The refusal for what would leave an organization without an owner. */
export function lastOwner(): Refusal {
  return new Refusal(
    'access_denied',
    'This is the last active owner of the organization, who stays. Make another member an owner first.',
  )
}
