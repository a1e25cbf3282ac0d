import { provedTwoFactors } from '@gatehouse/proto/claims'
import { isSlug } from '@gatehouse/proto/organizations'
import type { Client } from '../clients/client-authentication.ts'
import {
  findMembership,
  type OrganizationMode,
  type Organizations,
  organizationModeOf,
} from './organizations.ts'

/** The organization that a stored grant must have to be used. */
export type NeededOrganization = {
  /** Whether the client acts in organizations now. */
  mode: OrganizationMode
  /** The one that was asked for, by its id or its slug; undefined for any. */
  asked: string | undefined
}

/** The reason why a code or a refresh token of another organization gives nothing, for the log. */
export const wrongOrganization = 'the client may not use a grant of this organization, or not one of none'

/**
 * The organization that a code or a refresh token must be of. For a client that knows none, the parameter has no effect.
 * @param sent the parameter `organization` of the token request
 */
export function neededOrganization(
  client: Pick<Client, 'metadata'>,
  sent: string | undefined,
  organizations: Organizations | undefined,
): NeededOrganization {
  const mode = organizationModeOf(client, organizations)
  return { mode, asked: mode === 'off' || !sent ? undefined : sent }
}

/**
 * Whether a grant can be of an organization as it is needed. Of one that was asked for by its slug, `refusedInOrganization` finds out
 * more.
 */
export function fitsOrganization(
  organizationId: string | undefined,
  { mode, asked }: NeededOrganization,
): boolean {
  if (organizationId === undefined) return mode !== 'required' && asked === undefined
  return mode !== 'off' && (asked === undefined || asked === organizationId || isSlug(asked))
}

/** The user of a grant. */
type ActingUser = {
  userId: string
  /** undefined for none. */
  organizationId: string | undefined
  /** How they had logged in (RFC 8176); undefined where that is not known. */
  methods: readonly string[] | undefined
  /** Whether they had logged in by a connection of the organization. */
  byOrganization: boolean
}

/**
 * Judges again whether the user of a grant may act in its organization, and whether it is the one that was asked for.
 * @returns the reason why not, for the log; undefined when they may
 * @throws Refusal temporarily_unavailable
 */
export async function refusedInOrganization(
  { userId, organizationId, methods = [], byOrganization }: ActingUser,
  asked: string | undefined,
  organizations: Organizations | undefined,
): Promise<string | undefined> {
  if (organizationId === undefined || organizations === undefined) return undefined
  const membership = await findMembership(userId, organizationId, organizations)
  if (membership === undefined) return 'the user cannot act in the organization of the grant'
  if (asked !== undefined && asked !== organizationId && asked !== membership.slug) return wrongOrganization
  if (membership.ssoRequired && !byOrganization)
    return 'the organization of the grant demands a login by a connection of its own by now'
  const lacksFactor = membership.secondFactorRequired && !provedTwoFactors(methods)
  return lacksFactor ? 'the organization of the grant demands two factors by now' : undefined
}
