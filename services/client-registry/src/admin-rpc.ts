import { readActor } from '@gatehouse/kit/actor'
import type { Handlers } from '@gatehouse/kit/rpc-server'
import type {
  Client as ClientMessage,
  ClientRegistryServiceService,
} from '@gatehouse/proto/clientregistry/v1'
import type { ClientRecord } from './client.ts'
import { type ClientChangeDeps, createClient, deleteClient, updateClient } from './client-change.ts'
import { type ClientListStore, getClient, listClients } from './client-list.ts'
import { rotateClientSecret } from './secret-rotation.ts'

/** The needs of the domain functions behind the administrators' RPCs. */
export type AdminRpcDeps = { list: ClientListStore; changes: ClientChangeDeps }

type AdminMethod =
  | 'listClients'
  | 'getClient'
  | 'createClient'
  | 'updateClient'
  | 'deleteClient'
  | 'rotateClientSecret'

/** The RPCs with which administrators view and change clients. */
export function adminRpcs({
  list,
  changes,
}: AdminRpcDeps): Pick<Handlers<typeof ClientRegistryServiceService>, AdminMethod> {
  return {
    async listClients(request) {
      const { items, nextCursor, total } = await listClients(request, list)
      return { clients: items.map(recordMessage), nextCursor, total: BigInt(total) }
    },

    async getClient({ clientId }) {
      return { client: recordMessage(await getClient(clientId, list)) }
    },

    async createClient({ registration, firstParty, actor }) {
      const { redirectUris = [], grantTypes = [], ...rest } = registration ?? {}
      const wanted = { ...rest, redirectUris, grantTypes, firstParty }
      const { client, clientSecret } = await createClient(wanted, readActor(actor), changes)
      return { client: recordMessage(client), clientSecret: clientSecret ?? '' }
    },

    async updateClient({ actor, redirectUris, grantTypes, ...change }) {
      const lists = { redirectUris: redirectUris?.items, grantTypes: grantTypes?.items }
      const client = await updateClient({ ...change, ...lists }, readActor(actor), changes)
      return { client: recordMessage(client) }
    },

    async deleteClient({ clientId, actor }) {
      await deleteClient(clientId, readActor(actor), changes)
      return {}
    },

    async rotateClientSecret({ actor, ...rotation }) {
      const { client, clientSecret } = await rotateClientSecret(rotation, readActor(actor), changes)
      return { client: recordMessage(client), clientSecret }
    },
  }
}

/** A client with the expiry of each secret, without the digests, as a message. */
export function recordMessage({ secretEnds, ...client }: ClientRecord): ClientMessage {
  return {
    ...client,
    redirectUris: [...client.redirectUris],
    grantTypes: [...client.grantTypes],
    metadata: { ...client.metadata },
    secrets: secretEnds.map((expiresAt) => ({ digest: Buffer.alloc(0), expiresAt })),
  }
}
