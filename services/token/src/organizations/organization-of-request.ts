import { Refusal } from '@gatehouse/kit/errors'
import type { Client } from '../clients/client-authentication.ts'
import {
  canName,
  findMembership,
  type Membership,
  type Organizations,
  organizationModeOf,
} from './organizations.ts'

/** The choice of an organization that a user made for an authorization request. */
export type OrganizationChoice = {
  /** undefined for none. */
  organizationId: string | undefined
}

/** The organization in which an authorization request acts, as far as it is decided. */
export type OrganizationOfRequest =
  /** Nobody is logged in. */
  | { state: 'undecided' }
  /** It acts in none. */
  | { state: 'none' }
  | { state: 'in'; membership: Membership }
  /** The user chooses. @param choices by name */
  | { state: 'choose'; choices: readonly Membership[]; mayChooseNone: boolean }
  | { state: 'refused'; refusal: Refusal }
  /** No login of the user counts for it, whether they are a member or not. */
  | { state: 'no_login' }

/** No organization has this name: it stands for each that none can have. */
const nameOfNone = '-'

/**
 * Reads the parameter `organization`. A text that cannot name an organization is not kept.
 * @returns undefined when none was sent
 */
export function readOrganization(sent: string | undefined): string | undefined {
  if (!sent) return undefined
  return canName(sent) ? sent : nameOfNone
}

/** The user of a request, as far as organizations go by them. */
type Deciding = {
  /** undefined when nobody is logged in. */
  userId: string | undefined
  /** The organizations for which alone their logins count, by their ids; undefined when they have a login of the instance. */
  onlyIn?: readonly string[] | undefined
  /** The choice of this user for this request in this session; undefined until then. */
  choice: OrganizationChoice | undefined
}

/**
 * Decides in which organization an authorization request acts now. It asks nobody for a client that acts in none.
 * @param named what the client named, read; undefined for none
 * @param organizations undefined where OAUTH2_ORGANIZATIONS_ENABLED is off
 * @throws Refusal temporarily_unavailable
 */
export async function decideOrganization(
  { client, named }: { client: Pick<Client, 'metadata'>; named: string | undefined },
  { userId, onlyIn, choice }: Deciding,
  organizations: Organizations | undefined,
): Promise<OrganizationOfRequest> {
  const mode = organizationModeOf(client, organizations)
  if (organizations === undefined || mode === 'off') return { state: 'none' }
  if (userId === undefined) return { state: 'undecided' }
  const wanted = named ?? choice?.organizationId
  const mayChooseNone = mode === 'optional'
  if (wanted === undefined && choice && mayChooseNone) return { state: 'none' }
  if (onlyIn) return decideWithin(onlyIn, { userId, wanted }, organizations)
  if (wanted !== undefined) {
    const membership = await findMembership(userId, wanted, organizations)
    return membership ? { state: 'in', membership } : refused(notTheirs)
  }
  const choices = await organizations.findMemberships({ userId })
  const [first, ...others] = choices
  if (first === undefined) return mayChooseNone ? { state: 'none' } : refused(inNone)
  return others.length === 0 && !mayChooseNone
    ? { state: 'in', membership: first }
    : { state: 'choose', choices, mayChooseNone }
}

/**
 * The same for a user whose logins count in these organizations alone. Whoever controls a provider of one can log in as each of its members,
 * so nothing tells in which others the user is: they need another login there, whether they are a member or not.
 */
async function decideWithin(
  onlyIn: readonly string[],
  { userId, wanted }: { userId: string; wanted: string | undefined },
  organizations: Organizations,
): Promise<OrganizationOfRequest> {
  const memberships = await organizations.findMemberships({ userId })
  const choices = memberships.filter(
    ({ organizationId, slug }) =>
      onlyIn.includes(organizationId) &&
      (wanted === undefined || wanted === organizationId || wanted === slug),
  )
  const [first, ...others] = choices
  if (first === undefined) return { state: 'no_login' }
  return others.length === 0
    ? { state: 'in', membership: first }
    : { state: 'choose', choices, mayChooseNone: false }
}

/** One description, whether there is no such organization, it is disabled, or the user is no member of it. */
const notTheirs = 'The user cannot act in this organization.'
const inNone = 'The user is in no organization, and the client needs one.'

function refused(description: string): OrganizationOfRequest {
  return { state: 'refused', refusal: new Refusal('access_denied', description) }
}
