/** The beginnings of the paths of groups and roles: those of the instance have none. */
export type PlacePath = '' | '/organizations/:organization_id'

/** Where the routes of groups and roles are, which are the same for the instance and for an organization. */
export type GroupPlace = {
  path: PlacePath
  /** The path of a user, of whom the rest tells. */
  userPath: '/users/:user_id' | '/organizations/:organization_id/members/:user_id'
  /** Makes the id of an operation different in each place, as in `createOrganizationGroup`. */
  name: '' | 'Organization'
  /** The end of a summary. */
  words: '' | ' of an organization'
}

/** Groups and roles that belong to no organization. */
export const inInstance: GroupPlace = { path: '', userPath: '/users/:user_id', name: '', words: '' }

/** Those of one organization. */
export const inOrganization: GroupPlace = {
  path: '/organizations/:organization_id',
  userPath: '/organizations/:organization_id/members/:user_id',
  name: 'Organization',
  words: ' of an organization',
}

/** The id of the organization in the path of a request; empty for the instance. */
export function placeIn({ organization_id: organizationId }: { organization_id?: string }): {
  organizationId?: string
} {
  return organizationId === undefined ? {} : { organizationId }
}
