import { isOrganizationId, isSlug } from '@gatehouse/proto/organizations'
import type { Client } from '../clients/client-authentication.ts'

/** An organization that is not disabled. */
export type Organization = {
  organizationId: string
  slug: string
  name: string
  logoUri: string | undefined
  /** As `#rrggbb`. */
  color: string | undefined
  /** Whether members must have proven two factors to act in it. */
  secondFactorRequired: boolean
}

/** An organization in which a user may act. */
export type Membership = Organization & {
  /** Whether only logins by connections of the organization count there for this user. */
  ssoRequired: boolean
  /** The attributes that the user has in it, by the names of their claims. */
  attributes: Readonly<Record<string, unknown>>
}

/** Asks for a user's membership in one organization, or for all that they have. */
export type MembershipQuestion = {
  userId: string
  /** The id or the slug; undefined for all. */
  organization?: string | undefined
}

/** The organizations of the identity service. */
export type Organizations = {
  /**
   * The memberships of a user, by the names of the organizations: none of a user who is not active, and none in a disabled organization.
   * @throws Refusal temporarily_unavailable
   */
  findMemberships(question: MembershipQuestion): Promise<readonly Membership[]>
  /**
   * Finds an organization that is not disabled.
   * @param named its id or its slug
   * @throws Refusal temporarily_unavailable
   */
  find(named: string): Promise<Organization | undefined>
}

/** Whether a client acts in organizations (the field `organizations` of its metadata). */
export type OrganizationMode = 'off' | 'optional' | 'required'

/**
 * Whether a client acts in organizations.
 * @param organizations undefined where OAUTH2_ORGANIZATIONS_ENABLED is off
 */
export function organizationModeOf(
  { metadata }: Pick<Client, 'metadata'>,
  organizations: Organizations | undefined,
): OrganizationMode {
  return organizations === undefined ? 'off' : (metadata.organizations ?? 'off')
}

/** Whether a text can be the id or the slug of an organization. */
export function canName(text: string): boolean {
  return isOrganizationId(text) || isSlug(text)
}

/** Finds the membership of a user in an organization. @param named its id or its slug, or any other text that a client sent */
export async function findMembership(
  userId: string,
  named: string,
  { findMemberships }: Pick<Organizations, 'findMemberships'>,
): Promise<Membership | undefined> {
  if (!canName(named)) return undefined
  const [membership] = await findMemberships({ userId, organization: named })
  return membership
}
