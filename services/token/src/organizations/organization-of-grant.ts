import { provedTwoFactors } from '@gatehouse/proto/claims'
import { isOrganizationId } from '@gatehouse/proto/organizations'
import type { Client } from '../clients/client-authentication.ts'
import {
  canName,
  findMembership,
  type OrganizationMode,
  type Organizations,
  organizationModeOf,
} from './organizations.ts'

/** The organization that a stored grant must have to be used. */
export type NeededOrganization = {
  /** What the client may do in organizations now. */
  mode: OrganizationMode
  /** The id of the one that was asked for; undefined for any, and empty for one that no grant has. */
  asked: string | undefined
}

/** The reason why a code or a refresh token of another organization gives nothing, for the log. */
export const wrongOrganization = 'the client may not use a grant of this organization, or not one of none'

/**
 * The organization that a code or a refresh token must be of. It asks nobody unless the client sends a slug.
 * @param sent the parameter `organization` of the token request
 * @throws Refusal temporarily_unavailable
 */
export async function neededOrganization(
  client: Pick<Client, 'metadata'>,
  sent: string | undefined,
  organizations: Organizations | undefined,
): Promise<NeededOrganization> {
  const mode = organizationModeOf(client, organizations)
  if (organizations === undefined || !sent) return { mode, asked: undefined }
  if (isOrganizationId(sent)) return { mode, asked: sent }
  const found = canName(sent) ? await organizations.find(sent) : undefined
  return { mode, asked: found?.organizationId ?? '' }
}

/** The user of a grant. */
type ActingUser = {
  userId: string
  /** undefined for none. */
  organizationId: string | undefined
  /** How they had logged in (RFC 8176); undefined where that is not known. */
  methods: readonly string[] | undefined
}

/**
 * Judges again whether the user of a grant may act in its organization.
 * @returns the reason why not, for the log; undefined when they may
 * @throws Refusal temporarily_unavailable
 */
export async function refusedInOrganization(
  { userId, organizationId, methods }: ActingUser,
  organizations: Organizations | undefined,
): Promise<string | undefined> {
  if (organizationId === undefined || organizations === undefined) return undefined
  const membership = await findMembership(userId, organizationId, organizations)
  if (membership === undefined) return 'the user cannot act in the organization of the grant'
  const lacksFactor = membership.secondFactorRequired && methods !== undefined && !provedTwoFactors(methods)
  return lacksFactor ? 'the organization of the grant demands two factors by now' : undefined
}
