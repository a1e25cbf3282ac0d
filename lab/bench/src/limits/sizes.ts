import { connectionLimits } from '@gatehouse/proto/connections'
import { groupLimits } from '@gatehouse/proto/groups'
import { organizationLimits } from '@gatehouse/proto/organizations'

/** How many of each thing a system has. One organization, the big one, has more than the others. */
export type Sizes = {
  organizations: number
  /** Members of the big one, some of whom have the same organizations as its owner. */
  members: number
  /** Organizations of its owner. */
  organizationsOfUser: number
  /** Groups of its owner: as many in the organization as among the groups of the instance. */
  groups: number
  /** Groups of the instance. */
  groupsOfInstance: number
  connections: number
  connectionsOfOrganization: number
  invitations: number
  domains: number
}

/** As many as there may be, as proto/organizations.ts, groups.ts and connections.ts say. */
export const fullSizes: Sizes = {
  organizations: organizationLimits.organizations,
  members: organizationLimits.members,
  organizationsOfUser: organizationLimits.organizationsOfUser,
  groups: groupLimits.groupsOfUser,
  groupsOfInstance: groupLimits.groups,
  connections: connectionLimits.connections,
  connectionsOfOrganization: connectionLimits.ofOrganization,
  invitations: organizationLimits.invitations,
  domains: organizationLimits.domains,
}

/** A system with few of everything, which shows what the lists cost at least. */
export const fewSizes: Sizes = {
  organizations: 20,
  members: 200,
  organizationsOfUser: 5,
  groups: 10,
  groupsOfInstance: 20,
  connections: 20,
  connectionsOfOrganization: 3,
  invitations: 5,
  domains: 5,
}
