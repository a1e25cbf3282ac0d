import type { Organization } from '@gatehouse/admin-api/generated/openapi'
import { isOrganizationId } from '@gatehouse/proto/organizations'
import { type Api, dataOf } from '../api.ts'
import { CommandFailure, exitCodes } from '../failure.ts'

/** Finds an organization by its id or its slug. @throws CommandFailure when there is no such organization */
export async function findOrganization(api: Api, idOrSlug: string): Promise<Organization> {
  if (isOrganizationId(idOrSlug.toLowerCase()))
    return dataOf(api.GET('/admin/api/organizations/{organization_id}', atOrganization(idOrSlug)))
  const found = await organizationOfSlug(api, idOrSlug)
  if (found) return found
  throw new CommandFailure('There is no such organization.', exitCodes.notFound)
}

/** Finds the organization that has a slug, if there is one. */
export async function organizationOfSlug(api: Api, slug: string): Promise<Organization | undefined> {
  const query = { slug: slug.toLowerCase() }
  const { items } = await dataOf(api.GET('/admin/api/organizations', { params: { query } }))
  return items[0]
}

/** The parameters of a request about an organization. */
export function atOrganization(id: string) {
  return { params: { path: { organization_id: id } } }
}
