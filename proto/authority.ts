/**
 * Keys of what gives people their roles and groups. When something behind a key is taken away, access tokens that were made by an older
 * revision of it end. The identity service and the client registry send them to the token service, which keeps the newest revision of each
 * and compares tokens with it.
 */

/** The revision of which database a key goes by: that of identity (`authority_revision`), or that of a resource server in the registry. */
export type AuthoritySource = 'identity' | 'registry'

/** Of one user: a role or a group was taken from them. Revisions are those of identity. */
export const authorityOfUser = (userId: string) => `user:${userId}`

/** Of everybody in an organization, or in the instance: a group was renamed or deleted. Revisions are those of identity. */
export const authorityOfAll = (organizationId = '') => `all:${organizationId}`

/** Of everybody in an organization, or in the instance, at a resource server: a role was taken from a group. Revisions are those of identity. */
export const authorityAtResource = (identifier: string, organizationId = '') =>
  `resource:${organizationId}:${identifier}`

/** Of the roles of a resource server: one was deleted, or lost a scope. Revisions are those of the resource server. */
export const authorityOfRoles = (identifier: string) => `roles:${identifier}`
