import type {
  AuthorizationServerMetadata,
  ClientWithSecret,
  ResourceServer,
} from '@gatehouse/admin-api/generated/openapi'
import { api, dataOf } from '../api.ts'
import { createClient, deleteClient } from '../clients/requests.ts'
import { type KindName, kinds } from './kinds.ts'

/** What the form of the guide says. */
export type AppDescription = {
  name: string
  redirectUri: string
  /** Of a resource server. */
  identifier: string
  scope: string
  scopeWords: string
}

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
  { name, redirectUri, identifier, scope, scopeWords }: AppDescription,
  server: AuthorizationServerMetadata,
): Promise<CreatedApp> {
  const { client: clientOf, resource } = kinds[kind]
  // A resource server needs a client to check tokens at the introspection endpoint.
  const settings = clientOf?.(server) ?? { grant_types: ['client_credentials'] }
  const redirects = redirectUri === '' ? {} : { redirect_uris: [redirectUri] }
  const client = await createClient({
    client_name: name,
    ...settings,
    ...redirects,
    ...(!resource && { scope }),
  })
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
