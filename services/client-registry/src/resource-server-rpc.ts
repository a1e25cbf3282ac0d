import { readActor } from '@gatehouse/kit/actor'
import type { Handlers } from '@gatehouse/kit/rpc-server'
import type {
  ClientRegistryServiceService,
  ResourceServer as ResourceServerMessage,
  UpdateResourceServerRequest,
} from '@gatehouse/proto/clientregistry/v1'
import type { ResourceServer, ResourceServerSettings } from './resource-server.ts'
import {
  createResourceServer,
  deleteResourceServer,
  type ResourceServerChangeDeps,
  updateResourceServer,
} from './resource-server-change.ts'
import {
  getResourceServer,
  listResourceServers,
  lookupResourceServers,
  type ResourceServerStore,
} from './resource-server-list.ts'

/** The needs of the domain functions behind these RPCs. */
export type ResourceServerRpcDeps = { store: ResourceServerStore; changes: ResourceServerChangeDeps }

type ResourceServerMethod =
  | 'lookupResourceServers'
  | 'listResourceServers'
  | 'getResourceServer'
  | 'createResourceServer'
  | 'updateResourceServer'
  | 'deleteResourceServer'

/** The RPCs of resource servers. */
export function resourceServerRpcs({
  store,
  changes,
}: ResourceServerRpcDeps): Pick<Handlers<typeof ClientRegistryServiceService>, ResourceServerMethod> {
  return {
    async lookupResourceServers({ version: known }) {
      const { version, resourceServers } = await lookupResourceServers(known, store)
      return { version, resourceServers: resourceServers.map(toMessage) }
    },

    async listResourceServers(request) {
      const { items, nextCursor, total } = await listResourceServers(request, store)
      return { resourceServers: items.map(toMessage), nextCursor, total: BigInt(total) }
    },

    async getResourceServer({ resourceId }) {
      return { resourceServer: toMessage(await getResourceServer(resourceId, store)) }
    },

    async createResourceServer({ actor, tokenLifetime, ...wanted }) {
      const created = await createResourceServer({ ...wanted, tokenLifetime }, readActor(actor), changes)
      return { resourceServer: toMessage(created) }
    },

    async updateResourceServer({ resourceId, revision, actor, ...sent }) {
      const wanted = { resourceId, revision, change: changeIn(sent) }
      return { resourceServer: toMessage(await updateResourceServer(wanted, readActor(actor), changes)) }
    },

    async deleteResourceServer({ resourceId, actor }) {
      await deleteResourceServer(resourceId, readActor(actor), changes)
      return {}
    },
  }
}

function changeIn({
  scopes,
  tokenLifetime,
  ...sent
}: Omit<UpdateResourceServerRequest, 'resourceId' | 'revision' | 'actor'>): Partial<ResourceServerSettings> {
  const change = Object.entries(sent).filter(([, value]) => value !== undefined)
  return {
    ...Object.fromEntries(change),
    ...(scopes && { scopes: scopes.items }),
    // Zero takes the lifetime away.
    ...(tokenLifetime !== undefined && { tokenLifetime: tokenLifetime || undefined }),
  }
}

function toMessage(resourceServer: ResourceServer): ResourceServerMessage {
  return { ...resourceServer, scopes: [...resourceServer.scopes] }
}
