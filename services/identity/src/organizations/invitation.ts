import type { Caller } from '@gatehouse/kit/actor'
import { Refusal } from '@gatehouse/kit/errors'
import { isUuid } from '@gatehouse/kit/formats'
import { checkLimit, type Keyed, type Page, type PageRequest, pageOf, readCursor } from '@gatehouse/kit/page'
import type { MemberRole } from '@gatehouse/proto/organizations'
import { digestOf } from '../basics/secret.ts'
import { getOrganization, type Organization, type OrganizationStore } from './organization.ts'

/** A role of a resource server that comes with the membership. */
export type InvitedRole = {
  resourceId: string
  /** The identifier of the resource server. */
  resource: string
  role: string
}

/** An invitation to an organization that nobody has accepted or withdrawn. */
export type Invitation = {
  invitationId: string
  organizationId: string
  address: string
  role: MemberRole
  roles: readonly InvitedRole[]
  /** The name of whoever invited them. */
  invitedBy: string
  createdAt: Date
  /** When its mail was last written. */
  sentAt: Date
  /** When its link stops working. */
  expiresAt: Date
}

/** The invitation behind a link. */
export type FoundInvitation = {
  invitation: Invitation
  organization: Organization
  /** Whether a user has the address, verified. */
  addressKnown: boolean
}

/**
 * Why an invitation was not accepted. `over`: its link is unknown, used, withdrawn or too old, the organization is disabled, or whoever
 * invited them may no longer do that, such as an administrator of a part whose invitation an administrator would accept.
 */
export type InvitationProblem = 'over' | 'nobody' | 'other address' | 'unverified' | 'too many' | 'full'

/** The outcome of accepting an invitation. */
export type Acceptance = { organization: Organization } | { problem: InvitationProblem }

/** Reads and accepts invitations. It finds none that is over. */
export type InvitationStore = {
  /**
   * Newest first, those whose links no longer work included.
   * @param which the one invitation to list, and the id after which the list continues
   */
  list(
    organizationId: string,
    which: { invitationId?: string | undefined; after?: string | undefined },
    limit: number,
  ): Promise<Keyed<Invitation>[]>
  find(digest: Buffer): Promise<FoundInvitation | undefined>
  /**
   * Makes the user of a session a member, with the roles of the invitation, in one transaction with its end. Whoever is a member already
   * keeps what they are, or becomes more.
   * @param exists whether a resource server has a role, and for invitations by members, whether organizations may give it
   */
  accept(
    digest: Buffer,
    sessionDigest: Buffer,
    caller: Caller,
    exists: (role: InvitedRole, byMember: boolean) => boolean,
  ): Promise<Acceptance>
}

/** The roles of resource servers, as the client registry has them now. */
export type FindRoles = () => Promise<
  readonly {
    resourceId: string
    roles: readonly { name: string; organizationsMayGive: boolean }[]
  }[]
>

/** The needs of reading and accepting invitations. */
export type InvitationDeps = {
  invitations: InvitationStore
  organizations: Pick<OrganizationStore, 'get'>
  findRoles: FindRoles
}

/**
 * Lists the invitations of an organization that are open, newest first.
 * @throws Refusal not_found; invalid_request for a limit or cursor that is invalid
 */
export async function listInvitations(
  {
    organizationId,
    invitationId,
    cursor,
    limit,
  }: PageRequest & { organizationId: string; invitationId?: string | undefined },
  { invitations, organizations }: Pick<InvitationDeps, 'invitations' | 'organizations'>,
): Promise<Page<Invitation>> {
  const most = checkLimit(limit)
  const [after] = readCursor(cursor, 1) ?? []
  if (after !== undefined && !isUuid(after)) throw new Refusal('invalid_request', 'cursor is invalid.')
  const found = await getOrganization(organizationId, organizations)
  if (invitationId !== undefined && !isUuid(invitationId)) return { items: [], nextCursor: undefined }
  return pageOf(await invitations.list(found.organizationId, { invitationId, after }, most + 1), most)
}

/**
 * Finds the invitation of a link, without using it: programs that look for viruses open the links of mails too.
 * @returns undefined when it is over
 */
export function getInvitation(
  linkSecret: string,
  { invitations }: Pick<InvitationDeps, 'invitations'>,
): Promise<FoundInvitation | undefined> {
  return invitations.find(digestOf(linkSecret))
}

/**
 * Makes the user of a session a member of the organization that invited them. Their address must be that of the invitation, verified.
 * Roles that their resource servers no longer have, or that the organization may no longer give, are left out.
 */
export async function acceptInvitation(
  { linkSecret, sessionSecret, ...caller }: Caller & { linkSecret: string; sessionSecret: string },
  { invitations, findRoles }: Pick<InvitationDeps, 'invitations' | 'findRoles'>,
): Promise<Acceptance> {
  const digest = digestOf(linkSecret)
  const found = await invitations.find(digest)
  if (found === undefined) return { problem: 'over' }
  const known = found.invitation.roles.length === 0 ? [] : await findRoles()
  const roles = new Map(known.map(({ resourceId, roles }) => [resourceId, roles]))
  return invitations.accept(digest, digestOf(sessionSecret), caller, ({ resourceId, role }, byMember) => {
    const one = roles.get(resourceId)?.find(({ name }) => name === role)
    return one !== undefined && (one.organizationsMayGive || !byMember)
  })
}
