import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import type { ConnectionServiceService } from '@gatehouse/proto/connection/v1'
import type { IdentityServiceService } from '@gatehouse/proto/identity/v1'
import { MemberRole, type OrganizationServiceService } from '@gatehouse/proto/organization/v1'

/** The needs of the part of a user's data about groups, roles, organizations and connections. */
export type OwnMembershipDeps = {
  identity: Pick<RpcClient<typeof IdentityServiceService>, 'listUserGroups' | 'listHeldRoles'>
  organizationService: Pick<RpcClient<typeof OrganizationServiceService>, 'listUserOrganizations'>
  connectionService: Pick<RpcClient<typeof ConnectionServiceService>, 'listLinks'>
}

/** How many of a list are read at once. */
const limit = 200

/**
 * The groups and roles of a user in the instance, their memberships in organizations with attributes, groups and roles, and the accounts at
 * other identity providers to which they are linked. Nothing of it is about anybody else.
 * @throws Refusal temporarily_unavailable when a part of it cannot be read
 */
export async function ownMemberships(userId: string, deps: OwnMembershipDeps) {
  const [authority, organizations, accounts] = await Promise.all([
    groupsAndRoles(userId, undefined, deps),
    organizationsOf(userId, deps),
    connectedAccounts(userId, deps),
  ])
  return { ...authority, organizations, connected_accounts: accounts }
}

async function organizationsOf(userId: string, deps: OwnMembershipDeps) {
  const memberships = await all(async (cursor) => {
    const page = await deps.organizationService.listUserOrganizations({ userId, cursor, limit })
    return { items: page.organizations, nextCursor: page.nextCursor }
  })
  const found = []
  // One after the other: a user may have a hundred, and other requests wait for the same service.
  for (const { organization, role, joinedAt, attributes } of memberships)
    found.push({
      organization_id: organization?.organizationId,
      name: organization?.name,
      role: roleNames[role] ?? 'member',
      joined_at: joinedAt,
      attributes: attributes ?? {},
      ...(await groupsAndRoles(userId, organization?.organizationId, deps)),
    })
  return found
}

const roleNames: Partial<Record<MemberRole, string>> = {
  [MemberRole.MEMBER_ROLE_OWNER]: 'owner',
  [MemberRole.MEMBER_ROLE_ADMIN]: 'admin',
}

/** @param organizationId undefined for those of the instance */
async function groupsAndRoles(
  userId: string,
  organizationId: string | undefined,
  { identity }: Pick<OwnMembershipDeps, 'identity'>,
) {
  const holder = { $case: 'userId' as const, value: userId }
  const [groups, roles] = await Promise.all([
    all(async (cursor) => {
      const page = await identity.listUserGroups({ userId, organizationId, cursor, limit })
      return { items: page.groups, nextCursor: page.nextCursor }
    }),
    all(async (cursor) => {
      const wanted = { holder, organizationId, effective: true }
      const page = await identity.listHeldRoles({ ...wanted, cursor, limit })
      return { items: page.roles, nextCursor: page.nextCursor }
    }),
  ])
  return {
    groups: groups.map(({ groupId, name }) => ({ group_id: groupId, name })),
    roles: roles.map(({ resource, role, groupName, givenAt }) => ({
      ...{ resource, role, by_group: groupName ?? null, given_at: givenAt },
    })),
  }
}

async function connectedAccounts(
  userId: string,
  { connectionService }: Pick<OwnMembershipDeps, 'connectionService'>,
) {
  const links = await all(async (cursor) => {
    const page = await connectionService.listLinks({ userId, cursor, limit })
    return { items: page.links, nextCursor: page.nextCursor }
  })
  return links.map((link) => ({
    connection_id: link.connectionId,
    name: link.connectionName,
    organization_id: link.organizationId ?? null,
    issuer: link.issuer,
    subject: link.subject,
    display_name: link.displayName,
    linked_at: link.linkedAt,
    last_login_at: link.lastLoginAt ?? null,
  }))
}

type Page<Item> = { items: readonly Item[]; nextCursor: string | undefined }

/** All items of a list. @param read reads a page from a cursor on */
async function all<Item>(read: (cursor: string | undefined) => Promise<Page<Item>>): Promise<Item[]> {
  const found: Item[] = []
  let cursor: string | undefined
  do {
    const { items, nextCursor } = await read(cursor)
    found.push(...items)
    cursor = nextCursor
  } while (cursor !== undefined)
  return found
}
