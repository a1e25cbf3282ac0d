import { type Actor, refuseLimited } from '@gatehouse/kit/actor'
import { Refusal } from '@gatehouse/kit/errors'
import type { MemberRole } from '@gatehouse/proto/organizations'

/** The id of the member who makes a change for their organization; undefined for an administrator. */
export type ActingMember = string | undefined

/** The id of the organization in which groups and roles count; undefined for the instance. */
export type InOrganization = string | undefined

/** Where groups and roles are changed, and by which member; in the instance there is none. */
export type Place = { organizationId?: InOrganization; actingMember?: ActingMember }

/** The place of groups and roles that belong to no organization. */
export const instance: Place = {}

/** Why nothing is done to a user in an organization of which they are no member. Members learn nothing of other users. */
export function outsiderWords(isUnknown: boolean, { actingMember }: Place): string {
  if (actingMember !== undefined) return 'There is no such member.'
  return isUnknown ? 'There is no such user.' : 'The user is not a member of the organization.'
}

/** An organization that nobody else can change until the transaction ends. */
export type LockedOrganization = {
  organizationId: string
  slug: string
  disabled: boolean
  /** Whether one of its members is an administrator. */
  hasAdministrators: boolean
  /** The role of the one who makes the change. */
  acting: 'administrator' | MemberRole
}

/** Looks at an organization while it is locked, and throws if it must not be changed. */
export type CheckOrganization = (organization: LockedOrganization) => void

/** Lets only owners and admins of an organization, and administrators, change what is in it. @throws Refusal access_denied */
export function checkRuns({ acting }: Pick<LockedOrganization, 'acting'>): void {
  if (acting === 'member')
    throw new Refusal('access_denied', 'Only owners and admins of the organization may do this.')
}

/**
 * Lets only owners of an organization, and administrators, do something. An owner who logged in by a connection of the organization is an
 * admin at most: admins control its provider, and could be any owner there.
 * @throws Refusal access_denied
 */
export function checkOwns({ acting }: Pick<LockedOrganization, 'acting'>, actor: Actor): void {
  if (acting === 'administrator') return
  if (acting !== 'owner') throw new Refusal('access_denied', 'Only owners of the organization may do this.')
  if (actor.byConnection)
    throw new Refusal(
      'access_denied',
      'Owners must log in without a connection of the organization to do this.',
    )
}

/** Lets no member do something. @throws Refusal access_denied */
export function checkAdministers({ acting }: Pick<LockedOrganization, 'acting'>): void {
  if (acting !== 'administrator')
    throw new Refusal('access_denied', 'Only administrators of the server may do this.')
}

/**
 * Lets an administrator of only a part change no organization of which administrators are members.
 * @throws Refusal access_denied
 */
export function checkOrganizationReach({ hasAdministrators }: LockedOrganization, actor: Actor): void {
  if (hasAdministrators) refuseLimited(actor, 'a member of the organization is an administrator')
}
