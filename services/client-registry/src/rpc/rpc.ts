import { type Implementation, implement } from '@gatehouse/kit/rpc/rpc-server'
import {
  type Client as ClientMessage,
  ClientRegistryServiceService as clientRegistryService,
} from '@gatehouse/proto/clientregistry/v1'
import type { RegisteredClientDeps } from '../changes/registered-client.ts'
import { type RegistrationDeps, registerClient } from '../changes/registration.ts'
import type { Client, SecretDigest } from '../clients/client.ts'
import { type ClientLookupDeps, lookUpClients } from '../clients/client-lookup.ts'
import { type ClientOriginStore, listsOrigin, lookupClientOrigins } from '../clients/client-origins.ts'
import type { ReadClientIdDocument } from '../documents/client-id-document-reading.ts'
import { type AdminRpcDeps, adminRpcs } from './admin-rpc.ts'
import { registeredClientRpcs } from './registered-client-rpc.ts'
import { type ResourceServerRpcDeps, resourceServerRpcs } from './resource-server-rpc.ts'

/** The needs of the domain functions behind the RPCs. */
export type RpcDeps = {
  registration: RegistrationDeps
  lookup: ClientLookupDeps
  readClientIdDocument: ReadClientIdDocument
  registered: RegisteredClientDeps
  admin: AdminRpcDeps
  resourceServers: ResourceServerRpcDeps
  origins: { store: ClientOriginStore; open: boolean }
  /** The ids that clients have or are about to have, among these. */
  findTakenNames(names: readonly string[]): Promise<string[]>
}

/** The client registry's RPCs. */
export function clientRegistryRpcs({
  registration,
  lookup,
  admin,
  readClientIdDocument,
  registered,
  resourceServers,
  origins,
  findTakenNames,
}: RpcDeps): Implementation {
  return implement(clientRegistryService, {
    ...adminRpcs(admin),
    ...registeredClientRpcs(registered),
    ...resourceServerRpcs(resourceServers),

    async registerClient(request) {
      const { client, clientSecret, registrationAccessToken } = await registerClient(request, registration)
      return { client: toMessage(client, []), clientSecret, registrationAccessToken }
    },

    async lookupClients({ clients: known, usedSecrets, usedKeys }) {
      lookup.noteSecretUse(usedSecrets)
      lookup.noteKeyUse(usedKeys?.keys ?? [])
      const found = await lookUpClients(
        known.map(({ clientId }) => clientId),
        lookup,
      )
      const byId = new Map(found.map((client) => [client.clientId, client]))
      return {
        changed: known.flatMap(({ clientId, revision }) => {
          const client = byId.get(clientId)
          return client && client.revision !== revision ? [toMessage(client, client.secrets)] : []
        }),
        unknown: known.map(({ clientId }) => clientId).filter((clientId) => !byId.has(clientId)),
      }
    },

    lookupClientOrigins: ({ version }) => lookupClientOrigins(version, origins.store),

    lookupRegisteredOrigin: async (request) => ({ listed: await listsOrigin(request, origins) }),

    findTakenNames: async ({ names }) => ({ taken: await findTakenNames(names) }),

    readClientIdDocument: ({ clientId, ipAddress }) => readClientIdDocument(clientId, ipAddress),
  })
}

function toMessage(client: Client, secrets: readonly SecretDigest[]): ClientMessage {
  return {
    ...client,
    secrets: secrets.map(({ digest, expiresAt }) => ({
      digest: Buffer.from(digest),
      expiresAt,
      // These are for administrators.
      secretId: '',
      createdAt: undefined,
      lastUsedAt: undefined,
    })),
  }
}
