import type { ResourceServer } from '@gatehouse/admin-api/generated/openapi'
import { type Api, dataOf } from '../api.ts'
import { CommandFailure, exitCodes } from '../failure.ts'
import { isId } from './find-user.ts'

/** Finds a resource server. @throws CommandFailure when there is none with this identifier or id */
export async function findResource(api: Api, identifierOrId: string): Promise<ResourceServer> {
  // An identifier is a URI, which has a colon.
  if (!identifierOrId.includes(':'))
    return dataOf(api.GET('/admin/api/resources/{resource_id}', atResource(identifierOrId)))
  const query = { identifier: identifierOrId }
  const { items } = await dataOf(api.GET('/admin/api/resources', { params: { query } }))
  if (items[0]) return items[0]
  throw new CommandFailure('There is no such resource server.', exitCodes.notFound)
}

/**
 * Finds the id of a resource server. An id is given back without a request: whoever gives roles may not be allowed to see resource servers.
 * @throws CommandFailure for an unknown identifier
 */
export async function findResourceId(api: Api, identifierOrId: string): Promise<string> {
  return isId(identifierOrId) ? identifierOrId : (await findResource(api, identifierOrId)).resource_id
}

/** The parameters of a request about a resource server. */
export function atResource(id: string) {
  return { params: { path: { resource_id: id } } }
}
