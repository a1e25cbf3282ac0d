import { type Actor, refuseLimited } from '@gatehouse/kit/actor'
import type { ListStore } from '@gatehouse/kit/administered/list-request'
import { Refusal } from '@gatehouse/kit/errors'
import { isUuid } from '@gatehouse/kit/formats'
import { visibleTextFault } from '@gatehouse/kit/people/visible-text'
import type { groups } from '@gatehouse/proto/administered/groups'
import { groupLimits, localSource } from '@gatehouse/proto/groups'
import { hasLength } from '../basics/text.ts'
import type { InOrganization } from '../organizations/acting.ts'

/** The fields of a group that administrators set. */
export type GroupSettings = { name: string; description: string }

/** A group of users. */
export type Group = GroupSettings & {
  groupId: string
  /** `local`, or the directory that alone changes it. */
  source: string
  createdAt: Date
  /** Rises with each change of the fields, but not of the members. */
  revision: bigint
  /** The columns of its list without a field here. */
  columns: Readonly<Record<string, unknown>>
}

/** A group that nobody else can change until the transaction ends. */
export type LockedGroup = Pick<Group, 'groupId' | 'name' | 'source'> & {
  hasMembers: boolean
  /** Whether one of its members is an administrator. */
  hasAdministrators: boolean
}

/** Reads groups. */
export type GroupStore = {
  /** The list of the groups of an organization. */
  in(organization: InOrganization): ListStore<typeof groups, Group>
  get(groupId: string, organization: InOrganization): Promise<Group | undefined>
}

/**
 * Finds a group for administrators.
 * @throws Refusal not_found
 */
export async function getGroup(
  groupId: string,
  store: Pick<GroupStore, 'get'>,
  organization?: InOrganization,
): Promise<Group> {
  const group = isUuid(groupId) ? await store.get(groupId, organization) : undefined
  if (group === undefined) throw unknownGroup()
  return group
}

/** The refusal for an id that no group has. */
export function unknownGroup(): Refusal {
  return new Refusal('not_found', 'There is no such group.')
}

/**
 * Checks what an administrator sets.
 * @returns the settings, with the white space around texts removed
 * @throws Refusal invalid_request, which names the field
 */
export function checkSettings<Settings extends Partial<GroupSettings>>(settings: Settings): Settings {
  const trimmed = Object.entries(settings).map(([field, text]) => [field, text?.trim()])
  const { name, description } = Object.fromEntries(trimmed) as Partial<GroupSettings>
  if (name !== undefined) checkText('name', name, 1, groupLimits.name)
  if (description) checkText('description', description, 0, groupLimits.description)
  return {
    ...settings,
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
  }
}

function checkText(field: string, text: string, least: number, most: number): void {
  const fault = hasLength(text, least, most)
    ? visibleTextFault(text)
    : `must have ${least} to ${most} characters`
  if (fault) throw new Refusal('invalid_request', `${field} ${fault}.`)
}

/** Lets only its directory change a group that has one. @throws Refusal access_denied */
export function checkSource({ source }: Pick<Group, 'source'>): void {
  if (source !== localSource)
    throw new Refusal('access_denied', `Only the directory ${source} changes this group and its members.`)
}

/**
 * Lets an administrator of only a part change no group of which administrators are members: apps may go by its name, and its members have
 * its roles.
 * @throws Refusal access_denied
 */
export function checkGroupReach({ hasAdministrators }: LockedGroup, actor: Actor): void {
  if (hasAdministrators) refuseLimited(actor, 'a member of the group is an administrator')
}
