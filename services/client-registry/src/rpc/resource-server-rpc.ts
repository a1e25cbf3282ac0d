import { type Actor, readActor } from '@gatehouse/kit/actor'
import { listAdministered } from '@gatehouse/kit/administered/list-request'
import { handlersOf } from '@gatehouse/kit/rpc/rpc-server'
import { resourceServers } from '@gatehouse/proto/administered/resource-servers'
import {
  ClientRegistryServiceService,
  type ResourceServer as ResourceServerMessage,
  type UpdateResourceServerRequest,
} from '@gatehouse/proto/clientregistry/v1'
import { type ClaimsShape, claimsShapes } from '@gatehouse/proto/resource-servers'
import type { ClientListStore } from '../clients/client-list.ts'
import { refuseAdminScope } from '../clients/limited-administrator.ts'
import type { ResourceServer, ResourceServerSettings } from '../resource-servers/resource-server.ts'
import {
  changedMeanwhile,
  createResourceServer,
  deleteResourceServer,
  type LockedCheck,
  type ResourceServerChangeDeps,
  updateResourceServer,
} from '../resource-servers/resource-server-change.ts'
import {
  getResourceServer,
  lookupResourceServers,
  type ResourceServerStore,
} from '../resource-servers/resource-server-list.ts'

/** The needs of the domain functions behind these RPCs. */
export type ResourceServerRpcDeps = {
  store: ResourceServerStore
  changes: ResourceServerChangeDeps
  clients: Pick<ClientListStore, 'get'>
}

/** The RPCs of resource servers. */
export function resourceServerRpcs({ store, changes, clients }: ResourceServerRpcDeps) {
  /**
   * Lets an administrator of only a part bind no client out of their reach to a resource server, since from then on it sees only the
   * tokens of that one. An unknown client is refused later.
   * @throws Refusal access_denied
   */
  async function checkBinding(actor: Actor, clientId: string | undefined): Promise<void> {
    const client = actor.limited && clientId !== undefined ? await clients.get(clientId) : undefined
    if (client) refuseAdminScope(actor, client.scope)
  }

  /**
   * The same for the client that a resource server has, which would see all tokens again.
   * @param next the client that it gets, if any
   * @returns a check for the moment of the change: the resource server must still have the client that was looked at
   */
  async function checkBindings(
    actor: Actor,
    resourceId: string,
    next?: string,
  ): Promise<LockedCheck | undefined> {
    if (!actor.limited) return undefined
    const current = (await store.get(resourceId))?.clientId
    if (current !== next) {
      await checkBinding(actor, current)
      await checkBinding(actor, next)
    }
    return ({ clientId }) => {
      if (clientId !== current) throw changedMeanwhile()
    }
  }

  return handlersOf(ClientRegistryServiceService, {
    async lookupResourceServers({ version: known }) {
      const { version, resourceServers } = await lookupResourceServers(known, store)
      return { version, resourceServers: resourceServers.map(toMessage) }
    },

    async listResourceServers(request) {
      const { items, nextCursor, total } = await listAdministered(resourceServers, request, store)
      return { resourceServers: items.map(toMessage), nextCursor, total: BigInt(total) }
    },

    async getResourceServer({ resourceId }) {
      return { resourceServer: toMessage(await getResourceServer(resourceId, store)) }
    },

    async createResourceServer({ actor: sent, tokenLifetime, clientId, claimsShape, ...wanted }) {
      const actor = readActor(sent)
      await checkBinding(actor, clientId)
      const shape = (claimsShape ?? claimsShapes[0]) as ClaimsShape
      const settings = { ...wanted, tokenLifetime, clientId, claimsShape: shape }
      const created = await createResourceServer(settings, actor, changes)
      return { resourceServer: toMessage(created) }
    },

    async updateResourceServer({ resourceId, revision, actor: sentActor, ...sent }) {
      const actor = readActor(sentActor)
      const check =
        sent.clientId === undefined
          ? undefined
          : await checkBindings(actor, resourceId, sent.clientId || undefined)
      const wanted = { resourceId, revision, change: changeIn(sent), ...(check && { check }) }
      return { resourceServer: toMessage(await updateResourceServer(wanted, actor, changes)) }
    },

    async deleteResourceServer({ resourceId, actor: sent }) {
      const actor = readActor(sent)
      const check = await checkBindings(actor, resourceId)
      await deleteResourceServer(resourceId, actor, changes, check)
      return {}
    },
  })
}

function changeIn({
  scopes,
  roles,
  tokenClaims,
  tokenLifetime,
  clientId,
  ...sent
}: Omit<UpdateResourceServerRequest, 'resourceId' | 'revision' | 'actor'>): Partial<ResourceServerSettings> {
  const change = Object.entries(sent).filter(([, value]) => value !== undefined)
  return {
    ...Object.fromEntries(change),
    ...(scopes && { scopes: scopes.items }),
    ...(roles && { roles: roles.items }),
    ...(tokenClaims && { tokenClaims: tokenClaims.items }),
    // An empty text takes the client away, and zero the lifetime.
    ...(clientId !== undefined && { clientId: clientId || undefined }),
    ...(tokenLifetime !== undefined && { tokenLifetime: tokenLifetime || undefined }),
  }
}

function toMessage(resourceServer: ResourceServer): ResourceServerMessage {
  return {
    ...resourceServer,
    scopes: [...resourceServer.scopes],
    roles: resourceServer.roles.map((role) => ({ ...role, scopes: [...role.scopes] })),
    tokenClaims: [...resourceServer.tokenClaims],
    columns: { ...resourceServer.columns },
  }
}
