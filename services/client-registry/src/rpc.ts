import { type Implementation, implement } from '@gatehouse/kit/rpc-server'
import {
  type Client as ClientMessage,
  ClientRegistryServiceService as clientRegistryService,
} from '@gatehouse/proto/clientregistry/v1'
import { type AdminRpcDeps, adminRpcs } from './admin-rpc.ts'
import type { Client, ClientStore, SecretDigest } from './client.ts'
import { type RegistrationDeps, registerClient } from './registration.ts'
import { type ResourceServerRpcDeps, resourceServerRpcs } from './resource-server-rpc.ts'

/** The needs of the domain functions behind the RPCs. */
export type RpcDeps = {
  registration: RegistrationDeps
  store: Pick<ClientStore, 'find'>
  admin: AdminRpcDeps
  resourceServers: ResourceServerRpcDeps
}

/** The client registry's RPCs. */
export function clientRegistryRpcs({ registration, store, admin, resourceServers }: RpcDeps): Implementation {
  return implement(clientRegistryService, {
    ...adminRpcs(admin),
    ...resourceServerRpcs(resourceServers),

    async registerClient(request) {
      const { client, clientSecret } = await registerClient(request, registration)
      return { client: toMessage(client, []), clientSecret: clientSecret ?? '' }
    },

    async lookupClients({ clients: known }) {
      const found = await store.find(known.map(({ clientId }) => clientId))
      const byId = new Map(found.map((client) => [client.clientId, client]))
      return {
        changed: known.flatMap(({ clientId, revision }) => {
          const client = byId.get(clientId)
          return client && client.revision !== revision ? [toMessage(client, client.secrets)] : []
        }),
        unknown: known.map(({ clientId }) => clientId).filter((clientId) => !byId.has(clientId)),
      }
    },
  })
}

function toMessage(client: Client, secrets: readonly SecretDigest[]): ClientMessage {
  return {
    ...client,
    redirectUris: [...client.redirectUris],
    grantTypes: [...client.grantTypes],
    metadata: { ...client.metadata },
    secrets: secrets.map(({ digest, expiresAt }) => ({ digest: Buffer.from(digest), expiresAt })),
  }
}
