import { isUuid } from '@gatehouse/kit/formats'
import { isConnectionId } from '@gatehouse/proto/connections'
import { isOrganizationId } from '@gatehouse/proto/organizations'
import { domainOfAddress } from '../organizations/domain-name.ts'
import { isOpen, type LoginConnectionStore } from './login-connection.ts'

/** A connection that a page offers. */
export type Offer = {
  connectionId: string
  name: string
  organizationId: string | undefined
  organizationName: string | undefined
}

/** Reads what pages offer. It finds no connection that is disabled, or whose organization is. */
export type OfferStore = {
  /** For a login page: those of the instance, and those of an organization if one is given. By name. */
  onLoginPage(organizationId: string | undefined, most: number): Promise<Offer[]>
  /** For the account page of a user: those of the instance and of their organizations. By name. */
  toLink(userId: string, most: number): Promise<Offer[]>
  /** Whether addresses can lead to a connection at all. */
  leadByAddress(): Promise<boolean>
  /** The connection to which a domain leads: first that of the organization that has proven it. */
  findByDomain(domain: string): Promise<string | undefined>
}

/** The needs of offering connections. */
export type OfferDeps = { isOn: boolean; offers: OfferStore }

const mostOffers = 100

/** Lists the connections that a login page or the account page of a user offers. */
export async function listOffers(
  { organizationId, userId }: { organizationId?: string | undefined; userId?: string | undefined },
  { isOn, offers }: OfferDeps,
): Promise<{ offers: Offer[]; byAddress: boolean }> {
  if (!isOn) return { offers: [], byAddress: false }
  const known = organizationId !== undefined && isOrganizationId(organizationId) ? organizationId : undefined
  if (userId !== undefined)
    return { offers: isUuid(userId) ? await offers.toLink(userId, mostOffers) : [], byAddress: false }
  const [found, byAddress] = await Promise.all([
    offers.onLoginPage(known, mostOffers),
    offers.leadByAddress(),
  ])
  return { offers: found, byAddress }
}

/**
 * Finds one connection through which people may log in now.
 * @returns takesByAddress: whether also those may link an account who are no members of its organization
 */
export async function findOffer(
  connectionId: string,
  { isOn, loginConnections }: Pick<OfferDeps, 'isOn'> & { loginConnections: LoginConnectionStore },
): Promise<{ offer: Offer | undefined; takesByAddress: boolean }> {
  const isKnown = isOn && isConnectionId(connectionId)
  const found = isKnown ? await loginConnections.find(connectionId) : undefined
  if (found === undefined || !isOpen(found)) return { offer: undefined, takesByAddress: false }
  const { name, organizationId, organization } = found
  const offer = { connectionId, name, organizationId, organizationName: organization?.name }
  return { offer, takesByAddress: found.newUsers === 'verified_domain' }
}

/** Finds the connection to which an address leads. It reads the domain and never the user. */
export async function findByAddress(
  address: string,
  { isOn, offers }: OfferDeps,
): Promise<string | undefined> {
  const domain = isOn ? domainOfAddress(address) : undefined
  return domain === undefined ? undefined : offers.findByDomain(domain)
}
