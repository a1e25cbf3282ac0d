import type { ClientChange, ClientToCreate } from '@gatehouse/admin-api/generated/openapi'
import { api, dataOf } from '../api.ts'
import type { PublicJwk } from './keys/jwk.ts'

/** The parameters of a request about a client. */
export const atClient = (clientId: string) => ({ params: { path: { client_id: clientId } } })

/** Changes a client. */
export function changeClient(clientId: string, body: ClientChange) {
  return dataOf(api.PATCH('/admin/api/clients/{client_id}', { ...atClient(clientId), body }))
}

/** Creates a client. @returns the client with its secret, which the API shows only here */
export function createClient(body: ClientToCreate) {
  return dataOf(api.POST('/admin/api/clients', { body }))
}

/** Deletes a client for good. */
export function deleteClient(clientId: string) {
  return dataOf(api.DELETE('/admin/api/clients/{client_id}', atClient(clientId)))
}

/** Revokes all tokens of a client. */
export function revokeClientTokens(clientId: string) {
  return dataOf(api.DELETE('/admin/api/clients/{client_id}/tokens', atClient(clientId)))
}

/** Creates a new secret. @param overlap how long the current one stays valid, in seconds */
export function rotateSecret(clientId: string, overlap: number) {
  const body = { overlap_seconds: overlap }
  return dataOf(api.POST('/admin/api/clients/{client_id}/secret', { ...atClient(clientId), body }))
}

/** Ends the previous secret before its time. */
export function endSecret(clientId: string, secretId: string) {
  const params = { path: { client_id: clientId, secret_id: secretId } }
  return dataOf(api.DELETE('/admin/api/clients/{client_id}/secrets/{secret_id}', { params }))
}

/** Adds a public key to those of a client. */
export function addKey(clientId: string, jwk: PublicJwk) {
  return dataOf(api.POST('/admin/api/clients/{client_id}/keys', { ...atClient(clientId), body: { jwk } }))
}

/** Removes a public key of a client, which no longer counts then. */
export function removeKey(clientId: string, thumbprint: string) {
  const params = { path: { client_id: clientId, thumbprint } }
  return dataOf(api.DELETE('/admin/api/clients/{client_id}/keys/{thumbprint}', { params }))
}
