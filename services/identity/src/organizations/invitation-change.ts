import { type Actor, refuseLimited } from '@gatehouse/kit/actor'
import { Refusal } from '@gatehouse/kit/errors'
import { isUuid } from '@gatehouse/kit/formats'
import { isOrganizationId, type MemberRole, organizationLimits } from '@gatehouse/proto/organizations'
import { chooseLanguage } from '@gatehouse/proto/people/languages'
import { checkMailsOn } from '../accounts/invitation.ts'
import { readAddress } from '../accounts/sign-up.ts'
import {
  type ActingMember,
  checkOrganizationReach,
  checkOwns,
  checkRuns,
  type LockedOrganization,
} from './acting.ts'
import type { Invitation, InvitedRole } from './invitation.ts'
import { unknownOrganization } from './organization.ts'

/** An invitation as it is made. */
export type NewInvitation = {
  address: string
  role: MemberRole
  /** The caller has looked up that the resource servers have them, and that the organization may give them. */
  roles: readonly InvitedRole[]
  /** A language tag (BCP 47). */
  language: string
}

/**
 * Why no mail went out: the address is that of a member; too many mails went to it in an hour, or for the organization on this day; or the
 * organization has too many invitations.
 */
export type NotSent = 'member' | 'too many mails' | 'too many today' | 'too many open'

/**
 * Looks at an organization, while it is locked, and at an invitation, and throws if it must not be changed. `isAdministrator`: whether the
 * address is the verified one of an administrator; absent where that does not count.
 */
export type CheckInvitation = (
  organization: LockedOrganization,
  invited: { role: MemberRole; isAdministrator?: boolean },
) => void

/**
 * Stores changes to invitations. An address has one in an organization: the next one ends it, with its link. Each change writes an audit
 * entry in the same transaction.
 */
export type InvitationChangeStore = {
  /** It also checks the role of an earlier invitation of the address, which ends. */
  invite(
    organizationId: string,
    invitation: NewInvitation,
    actor: Actor,
    check: CheckInvitation,
    actingMember: ActingMember,
  ): Promise<Invitation | 'unknown' | NotSent>
  /** The one who sends it again is the one who invites, if the first one may no longer do that. */
  sendAgain(
    organizationId: string,
    invitationId: string,
    actor: Actor,
    check: CheckInvitation,
    actingMember: ActingMember,
  ): Promise<Invitation | 'unknown' | 'no invitation' | NotSent>
  withdraw(
    organizationId: string,
    invitationId: string,
    actor: Actor,
    check: CheckInvitation,
    actingMember: ActingMember,
  ): Promise<'withdrawn' | 'unknown' | 'no invitation'>
}

/** The needs of changing invitations. */
export type InvitationChangeDeps = {
  invitationChanges: InvitationChangeStore
  /** Whether mails can be sent. */
  mailsOn: boolean
  /** OAUTH2_ORGANIZATIONS_ENABLED. */
  organizationsOn: boolean
}

/**
 * Invites an address to an organization, by mail. Owners and administrators invite with each role, admins no owners. Nor do admins replace
 * the invitation of an owner.
 * @throws Refusal not_found, also for an acting member who does not belong to it and where it is disabled; access_denied for what the actor
 *   may not do, and where no mails are sent; invalid_request, which names the field; rate_limit_exceeded after too many mails
 */
export async function inviteMember(
  { organizationId, ...sent }: NewInvitation & { organizationId: string },
  actor: Actor,
  deps: InvitationChangeDeps,
  actingMember?: ActingMember,
): Promise<Invitation> {
  checkOn(deps)
  const read = readAddress(sent.address)
  if ('fault' in read) throw new Refusal('invalid_request', `email ${read.fault}.`)
  const most = organizationLimits.rolesOfInvitation
  if (sent.roles.length > most) throw new Refusal('invalid_request', `roles must have at most ${most} items.`)
  if (!sent.roles.every(({ resourceId }) => isUuid(resourceId)))
    throw new Refusal('invalid_request', 'roles must name resource servers by their ids.')
  const wanted = { ...sent, address: read.value, language: chooseLanguage([sent.language]) }
  const check = checkInviting(actor)
  const invited = isOrganizationId(organizationId)
    ? await deps.invitationChanges.invite(organizationId, wanted, actor, check, actingMember)
    : 'unknown'
  return sentOr(invited)
}

/**
 * Sends an invitation again, with a new link: the earlier one no longer works.
 * @throws Refusal as inviteMember
 */
export async function sendInvitationAgain(
  { organizationId, invitationId }: { organizationId: string; invitationId: string },
  actor: Actor,
  deps: InvitationChangeDeps,
  actingMember?: ActingMember,
): Promise<Invitation> {
  checkOn(deps)
  const check = checkInviting(actor)
  return sentOr(
    isOrganizationId(organizationId) && isUuid(invitationId)
      ? await deps.invitationChanges.sendAgain(organizationId, invitationId, actor, check, actingMember)
      : 'no invitation',
  )
}

/**
 * Withdraws an invitation: its link no longer works.
 * @throws Refusal not_found; access_denied for what the actor may not do
 */
export async function withdrawInvitation(
  { organizationId, invitationId }: { organizationId: string; invitationId: string },
  actor: Actor,
  { invitationChanges }: Pick<InvitationChangeDeps, 'invitationChanges'>,
  actingMember?: ActingMember,
): Promise<void> {
  const check: CheckInvitation = (organization, { role }) => checkGives(organization, role, actor)
  const done =
    isOrganizationId(organizationId) && isUuid(invitationId)
      ? await invitationChanges.withdraw(organizationId, invitationId, actor, check, actingMember)
      : 'no invitation'
  if (done === 'unknown') throw unknownOrganization()
  if (done === 'no invitation') throw unknownInvitation()
}

/** @throws Refusal access_denied where no mails can be sent, or the links would lead nowhere */
function checkOn({
  mailsOn,
  organizationsOn,
}: Pick<InvitationChangeDeps, 'mailsOn' | 'organizationsOn'>): void {
  checkMailsOn({ mailsOn })
  if (!organizationsOn)
    throw new Refusal('access_denied', 'Organizations are off: set OAUTH2_ORGANIZATIONS_ENABLED to true.')
}

/** @throws Refusal access_denied unless the actor may invite with this role */
function checkGives(organization: LockedOrganization, role: MemberRole, actor: Actor): void {
  checkRuns(organization)
  if (role === 'owner') checkOwns(organization, actor)
  checkOrganizationReach(organization, actor)
}

const checkInviting =
  (actor: Actor): CheckInvitation =>
  (organization, { role, isAdministrator }) => {
    checkGives(organization, role, actor)
    // As where members are set: they could invite themselves, and accept.
    if (isAdministrator) refuseLimited(actor, 'the address is that of an administrator')
    checkEnabled(organization)
  }

/** @throws Refusal invalid_request for a disabled organization, whose links do not work */
function checkEnabled({ disabled }: LockedOrganization): void {
  if (disabled)
    throw new Refusal('invalid_request', 'The organization is disabled. Enable it before you invite people.')
}

function sentOr(outcome: Invitation | 'unknown' | 'no invitation' | NotSent): Invitation {
  if (outcome === 'unknown') throw unknownOrganization()
  if (outcome === 'no invitation') throw unknownInvitation()
  if (typeof outcome === 'string') throw notSent[outcome]()
  return outcome
}

const { invitations, invitationMailsInDay } = organizationLimits

const notSent: Readonly<Record<NotSent, () => Refusal>> = {
  member: () => new Refusal('invalid_request', 'email is the address of a member.'),
  'too many mails': () =>
    new Refusal('rate_limit_exceeded', 'Five invitations went to this address in the last hour.'),
  'too many today': () =>
    new Refusal(
      'rate_limit_exceeded',
      `The organization has sent ${invitationMailsInDay} invitations today, the most it may. Try again tomorrow.`,
    ),
  'too many open': () =>
    new Refusal(
      'invalid_request',
      `The organization has ${invitations} open invitations, the most there may be. Withdraw one first.`,
    ),
}

function unknownInvitation(): Refusal {
  return new Refusal('not_found', 'There is no such invitation.')
}
