import type { ResourceServerChange, ResourceServerToCreate } from '@gatehouse/admin-api/generated/openapi'
import { api, dataOf } from '../api.ts'

/** The parameters of a request about a resource server. */
export const atResource = (resourceId: string) => ({ params: { path: { resource_id: resourceId } } })

/** Creates a resource server. */
export function createResource(body: ResourceServerToCreate) {
  return dataOf(api.POST('/admin/api/resources', { body }))
}

/** Changes a resource server. */
export function changeResource(resourceId: string, body: ResourceServerChange) {
  return dataOf(api.PATCH('/admin/api/resources/{resource_id}', { ...atResource(resourceId), body }))
}

/** Deletes a resource server for good. */
export function deleteResource(resourceId: string) {
  return dataOf(api.DELETE('/admin/api/resources/{resource_id}', atResource(resourceId)))
}
