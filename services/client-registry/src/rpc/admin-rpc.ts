import { readActor } from '@gatehouse/kit/actor'
import { listAdministered } from '@gatehouse/kit/administered/list-request'
import { handlersOf } from '@gatehouse/kit/rpc/rpc-server'
import { clients } from '@gatehouse/proto/administered/clients'
import {
  type ClientKey as ClientKeyMessage,
  type Client as ClientMessage,
  ClientRegistryServiceService,
} from '@gatehouse/proto/clientregistry/v1'
import { type ClientChangeDeps, createClient, deleteClient, updateClient } from '../changes/client-change.ts'
import { type ClientImportDeps, importClients } from '../changes/client-import.ts'
import {
  addClientKey,
  type ClientKey,
  type ClientKeyStore,
  listClientKeys,
  removeClientKey,
} from '../changes/client-keys.ts'
import { endClientSecret, rotateClientSecret } from '../changes/secret-rotation.ts'
import type { ClientRecord } from '../clients/client.ts'
import { type ClientListStore, getClient } from '../clients/client-list.ts'
import { checkReach } from '../clients/limited-administrator.ts'

/** The needs of the domain functions behind the administrators' RPCs. */
export type AdminRpcDeps = {
  list: ClientListStore
  changes: ClientChangeDeps
  keys: ClientKeyStore
  imports: ClientImportDeps
}

/** The RPCs with which administrators view and change clients. */
export function adminRpcs({ list, changes, keys: store, imports }: AdminRpcDeps) {
  const keys = { list, keys: store, deliver: changes.deliver, rules: { ...changes, scopes: 'any' } } as const
  return handlersOf(ClientRegistryServiceService, {
    async listClients(request) {
      const { items, nextCursor, total } = await listAdministered(clients, request, list)
      return { clients: items.map(recordMessage), nextCursor, total: BigInt(total) }
    },

    async getClient({ clientId }) {
      return { client: recordMessage(await getClient(clientId, list)) }
    },

    async createClient({ registration, actor, ...chosen }) {
      const wanted = { ...registration, ...chosen }
      const { client, clientSecret } = await createClient(wanted, readActor(actor), changes)
      return { client: recordMessage(client), clientSecret }
    },

    async importClients({ clients, dryRun, actor }) {
      return { results: await importClients({ clients, dryRun }, readActor(actor), imports) }
    },

    async updateClient({ actor, redirectUris, grantTypes, ...change }) {
      const lists = { redirectUris: redirectUris?.items, grantTypes: grantTypes?.items }
      const client = await updateClient({ ...change, ...lists }, readActor(actor), changes)
      return { client: recordMessage(client) }
    },

    async deleteClient({ clientId, actor: sent }) {
      const actor = readActor(sent)
      await checkReach(clientId, actor, list)
      await deleteClient(clientId, actor, changes)
      return {}
    },

    async rotateClientSecret({ actor: sent, ...rotation }) {
      const actor = readActor(sent)
      await checkReach(rotation.clientId, actor, list)
      const { client, clientSecret } = await rotateClientSecret(rotation, actor, changes)
      return { client: recordMessage(client), clientSecret }
    },

    async endClientSecret({ actor: sent, ...secret }) {
      const actor = readActor(sent)
      await checkReach(secret.clientId, actor, list)
      return { client: recordMessage(await endClientSecret(secret, actor, changes)) }
    },

    async listClientKeys({ clientId }) {
      return { keys: (await listClientKeys(clientId, keys)).map(keyMessage) }
    },

    async addClientKey({ actor: sent, ...added }) {
      const actor = readActor(sent)
      await checkReach(added.clientId, actor, list)
      return { key: keyMessage(await addClientKey(added, actor, keys)) }
    },

    async removeClientKey({ actor: sent, ...removed }) {
      const actor = readActor(sent)
      await checkReach(removed.clientId, actor, list)
      await removeClientKey(removed, actor, keys)
      return {}
    },
  })
}

function keyMessage({ kid, kty, lastUsedAt, ...key }: ClientKey): ClientKeyMessage {
  return { ...key, kid, kty, lastUsedAt }
}

/** A client with its secrets, without their digests, as a message. */
export function recordMessage({ secrets, ...client }: ClientRecord): ClientMessage {
  return {
    ...client,
    columns: { ...client.columns },
    secrets: secrets.map((secret) => ({ ...secret, digest: Buffer.alloc(0) })),
  }
}
