import type {
  AuthorizationServerMetadata,
  ClientWithSecret,
  ResourceServer,
} from '@gatehouse/admin-api/generated/openapi'
import { api, dataOf } from '../api.ts'
import { createClient, deleteClient } from '../clients/requests.ts'
import { type AppDescription, clientOf, type KindName, kinds } from './kinds.ts'

/** An app that the guide created. */
export type CreatedApp = {
  kind: KindName
  name: string
  client: ClientWithSecret
  resource: ResourceServer | undefined
}

/**
 * Creates an app: its client, and its resource server if it is one.
 * @throws ApiError when the API refuses one of them; then nothing is left behind
 */
export async function createApp(
  kind: KindName,
  description: AppDescription,
  server: AuthorizationServerMetadata,
): Promise<CreatedApp> {
  const { resource } = kinds[kind]
  const { name, identifier, scope, scopeWords } = description
  const client = await createClient(clientOf(kind, description, server))
  if (resource === undefined) return { kind, name, client, resource: undefined }
  const body = {
    identifier,
    name,
    scopes: [{ scope, description: scopeWords }],
    open_registration: resource.open_registration,
    client_id: client.client_id,
  }
  try {
    return { kind, name, client, resource: await dataOf(api.POST('/admin/api/resources', { body })) }
  } catch (error) {
    await deleteClient(client.client_id)
    throw error
  }
}
