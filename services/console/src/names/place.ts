import type { paths } from '@gatehouse/admin-api/generated/openapi'

/** Where groups and roles are: in an organization, or in the instance, whose place is empty. It is also the parameters of its paths. */
export type Place = { organization_id?: string | undefined }

/** The groups and roles that belong to no organization. */
export const inInstance: Place = {}

/** The path that is for an organization what another one is for the instance. */
type InOrganization<Path extends string> = Path extends `/admin/api/users/${infer Rest}`
  ? `/admin/api/organizations/{organization_id}/members/${Rest}`
  : Path extends `/admin/api/${infer Rest}`
    ? `/admin/api/organizations/{organization_id}/${Rest}`
    : never

/** The paths of the API that are there for an organization, too. */
type PlacedPath = {
  [Path in keyof paths]: InOrganization<Path> extends keyof paths ? Path : never
}[keyof paths]

/**
 * The path of the API for groups and roles in a place. It has the type of that of the instance: the API takes and gives the same at both.
 * @param path that of the instance
 */
export function pathIn<Path extends PlacedPath>({ organization_id: id }: Place, path: Path): Path {
  if (id === undefined) return path
  const rest = path.replace('/admin/api/', '').replace(/^users\//, 'members/')
  return `/admin/api/organizations/{organization_id}/${rest}` as Path
}

/** The address of a page about groups in a place. @param page what follows, such as `/new` */
export function groupsAddress({ organization_id: id }: Place, page = ''): string {
  return `${id === undefined ? '' : `/organizations/${id}`}/groups${page}`
}

/** The address of the page about a user in a place, which for an organization is that of the member. */
export function userAddress({ organization_id: id }: Place, userId: string): string {
  return id === undefined ? `/users/${userId}` : `/organizations/${id}/members/${userId}`
}
