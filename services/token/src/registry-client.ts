import type { RpcClient } from '@gatehouse/kit/rpc-client'
import type {
  ClientRegistryServiceService,
  Client as RegistryMessage,
} from '@gatehouse/proto/clientregistry/v1'
import type { Client } from './client-authentication.ts'
import type { ClientRegistry } from './client-cache.ts'

/** Looks clients up in the client registry. */
export function clientRegistryOver(rpc: RpcClient<typeof ClientRegistryServiceService>): ClientRegistry {
  return {
    async lookup(known) {
      const { changed, unknown } = await rpc.lookupClients({ clients: [...known] })
      return { changed: changed.map(toClient), unknown }
    },
  }
}

function toClient(message: RegistryMessage): Client {
  return {
    clientId: message.clientId,
    clientName: message.clientName,
    redirectUris: message.redirectUris,
    grantTypes: new Set(message.grantTypes),
    scope: message.scope,
    tokenEndpointAuthMethod: message.tokenEndpointAuthMethod,
    firstParty: message.firstParty,
    disabled: message.disabled,
    madeByAdministrator: message.createdBy === 'administrator',
    metadata: message.metadata ?? {},
    revision: message.revision,
    secrets: message.secrets.map(({ digest, expiresAt }) => ({ digest, expiresAt: expiresAt?.getTime() })),
  }
}
