import type { Client } from '../clients/client-authentication.ts'
import type { KnownResourceServers } from '../clients/resource-servers.ts'
import type { Organizations } from '../organizations/organizations.ts'

/** A user's roles and groups that are asked for. */
export type AuthorityQuestion = {
  userId: string
  /** undefined for those that count in the instance. */
  organizationId: string | undefined
  /** The ids of the resource servers whose roles are wanted. */
  resourceIds: readonly string[]
  /** Whether the groups are wanted. */
  groups: boolean
}

/** The roles and groups of a user at one moment. */
export type UserAuthority = {
  /** All changes of this revision and of smaller ones are in it. */
  revision: bigint
  /** The names of the roles, by the id of their resource server. */
  roles: ReadonlyMap<string, readonly string[]>
  /** Sorted. */
  groups: readonly string[]
}

/** The party for which something is judged, in an organization or in the instance. */
export type Acting = {
  client: Pick<Client, 'metadata'>
  /** undefined for a client that acts for itself. */
  userId: string | undefined
  /** undefined for the instance. */
  organizationId?: string | undefined
}

/** The needs of judging by roles and groups. */
export type AuthorityDeps = {
  /**
   * Gets a user's roles and groups; undefined for a user who is unknown or disabled, or who cannot act in the organization.
   * @throws Refusal temporarily_unavailable
   */
  findAuthority(question: AuthorityQuestion): Promise<UserAuthority | undefined>
  /**
   * Gets the attributes that a user has in an organization, or in the instance, by the names of their claims; undefined as for
   * findAuthority.
   * @throws Refusal temporarily_unavailable
   */
  findAttributes(
    userId: string,
    organizationId: string | undefined,
  ): Promise<Readonly<Record<string, unknown>> | undefined>
  organizations: Organizations
  /** All resource servers, as they were last read; undefined if they were never read. */
  knownServers(): Pick<KnownResourceServers, 'byIdentifier' | 'scopes'> | undefined
}
