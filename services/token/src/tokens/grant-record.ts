import type { Client } from '../clients/client-authentication.ts'
import { identifiersOf, type Target } from '../clients/resource-indicators.ts'
import type { SessionGrant } from '../openid/session-grant.ts'

/**
 * A grant: what a client was given, by whom and how. It is made once, when a request is judged, and flows, codes, refresh tokens and access
 * tokens carry it whole. OAuth 2.0 calls the consent of a user a grant (RFC 6749 section 1.3); "authorization" names the request for it
 * and the endpoint.
 */
export type GrantRecord = {
  clientId: string
  /** Space-separated. An access token's may be less than that of the grant from which it comes. */
  scope: string
  /** The identifiers of the resource servers that it is for; none for the default audience. */
  resources: readonly string[]
  /** undefined for a client's own grant, and in a request that waits for its user. */
  user: GrantingUser | undefined
  /** undefined where `keepsSession` says so, where there is no user, and where it is not read. */
  session: SessionGrant | undefined
  /** The id of the organization in which it was given; undefined for none, and in a request that waits for its user. */
  organizationId: string | undefined
}

/** The user of a grant. */
export type GrantingUser = {
  userId: string
  /** At the time of the grant. */
  username: string
}

/** A grant of a user. */
export type UserGrant = GrantRecord & { user: GrantingUser }

/** The part of a stored grant that roles and memberships are judged by. None of it ever changes. */
export type GrantOfUser = {
  userId: string
  /** Space-separated. */
  scope: string
  /** undefined for none. */
  organizationId: string | undefined
  /** How the user had logged in (RFC 8176); undefined where that is not known. */
  methods: readonly string[] | undefined
  /** Whether they had logged in by a connection of the organization. */
  byOrganization: boolean
}

/**
 * Finds the grant for which something secret was given, whatever became of it.
 * @param digest SHA-256 of it
 * @returns undefined when this client has no such secret
 */
export type FindGrantOfUser = (digest: Uint8Array, clientId: string) => Promise<GrantOfUser | undefined>

/** The grant of a request that was judged. */
export function newGrant(
  { clientId }: Pick<Client, 'clientId'>,
  scope: string,
  target: Pick<Target, 'servers'>,
): GrantRecord {
  const nothing = { user: undefined, session: undefined, organizationId: undefined }
  return { clientId, scope, resources: identifiersOf(target), ...nothing }
}

/** The `sub` of an access token of a grant: the user's id, or the client_id where there is no user. */
export function subjectOf({ clientId, user }: GrantRecord): string {
  return user?.userId ?? clientId
}

/** The other claims of an access token that its grant decides (RFC 9068 section 2.2). */
export type GrantClaims = {
  scope: string
  client_id: string
  /** undefined for none. */
  org_id?: string | undefined
}

/** These claims of an access token of a grant. */
export function claimsOf({ clientId, scope, organizationId }: GrantRecord): GrantClaims {
  return { scope, client_id: clientId, org_id: organizationId }
}
