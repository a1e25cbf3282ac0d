import type {
  ConnectionChange,
  ConnectionLink,
  ConnectionToCreate,
} from '@gatehouse/admin-api/generated/openapi'
import { api, dataOf, readOnce } from '../api.ts'

/** The parameters of a request about a connection. */
export const atConnection = (id: string) => ({ params: { path: { connection_id: id } } })

/** Reads a connection now. */
export function readConnection(id: string) {
  return readOnce('/admin/api/connections/{connection_id}', atConnection(id).params)
}

/** Creates a connection. */
export function createConnection(body: ConnectionToCreate) {
  return dataOf(api.POST('/admin/api/connections', { body }))
}

/** Changes a connection, disables it or enables it. */
export function changeConnection(id: string, body: ConnectionChange) {
  return dataOf(api.PATCH('/admin/api/connections/{connection_id}', { ...atConnection(id), body }))
}

/** Deletes a connection for good. */
export function deleteConnection(id: string) {
  return dataOf(api.DELETE('/admin/api/connections/{connection_id}', atConnection(id)))
}

/** Removes a link. */
export function removeLink({ connection_id: id, issuer, subject }: ConnectionLink) {
  const params = { ...atConnection(id).params, query: { issuer, subject } }
  return dataOf(api.DELETE('/admin/api/connections/{connection_id}/links', { params }))
}
