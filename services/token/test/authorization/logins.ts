import type { OrganizationLogin, SessionLogins } from '@gatehouse/proto/logins'

/** The logins of a user who logged in by a way of the instance alone. @param methods by default a password */
export function ownLogin(
  authenticatedAt: Date | undefined,
  methods: readonly string[] = ['pwd'],
  connectionId?: string,
): SessionLogins {
  return { own: { authenticatedAt, methods, connectionId }, ofOrganizations: [] }
}

/** The id of a connection that ends in this digit. */
export const connectionId = (digit: number) => `con_01980000-0000-7000-8000-00000000000${digit}`

/** A login by a connection of an organization. */
export function organizationLogin(
  organizationId: string,
  authenticatedAt: Date,
  changes: Partial<OrganizationLogin> = {},
): OrganizationLogin {
  return { organizationId, authenticatedAt, methods: [], connectionId: connectionId(1), ...changes }
}
