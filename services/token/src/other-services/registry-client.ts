import { setTimeout as sleep } from 'node:timers/promises'
import { Refusal } from '@gatehouse/kit/errors'
import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import { isDocumentClientId } from '@gatehouse/proto/client-id-documents'
import { clientDecider } from '@gatehouse/proto/client-metadata'
import type {
  ClientRegistryServiceService,
  Client as RegistryMessage,
  ResourceServer as ResourceServerMessage,
} from '@gatehouse/proto/clientregistry/v1'
import type { ScopeWidening } from '../authorization/authorization-request.ts'
import type { AuthorizationFlowDeps } from '../authorization/waiting-flow.ts'
import type { Client } from '../clients/client-authentication.ts'
import type { ClientRegistry } from '../clients/client-cache.ts'
import { claimsShapeOf, type ResourceServer, type ResourceServersDeps } from '../clients/resource-servers.ts'
import type { UsedSecret } from '../clients/secret-uses.ts'

/** In milliseconds. A call that fails sooner has lost its replica, and another one can answer; a slower one may have been too much. */
const lostWithin = 250
/** The connection to the lost replica is known to be gone after so many milliseconds. */
const pauseBeforeRetry = 20

/**
 * Looks clients up in the client registry. A lookup that loses its replica is repeated once: otherwise the end of one replica would
 * count as the end of the registry, and clients that are not cached would be refused for a second.
 */
export function clientRegistryOver(
  rpc: Pick<RpcClient<typeof ClientRegistryServiceService>, 'lookupClients'>,
): ClientRegistry {
  return {
    async lookup(known, uses = [], keyUses = []) {
      const request = {
        clients: [...known],
        usedSecrets: uses.map(usedMessage),
        usedKeys: keyUses.length > 0 ? { keys: keyUses.map(usedMessage) } : undefined,
      }
      const began = performance.now()
      const { changed, unknown } = await rpc.lookupClients(request).catch(async (error: unknown) => {
        const isLost = error instanceof Refusal && error.code === 'temporarily_unavailable'
        if (!isLost || performance.now() - began > lostWithin) throw error
        await sleep(pauseBeforeRetry)
        return rpc.lookupClients(request)
      })
      return { changed: changed.map(toClient), unknown }
    },
  }
}

function usedMessage({ clientId, digest }: UsedSecret) {
  return { clientId, digest: Buffer.from(digest) }
}

/** Looks the resource servers up in the client registry. */
export function resourceServersOver(
  rpc: RpcClient<typeof ClientRegistryServiceService>,
): ResourceServersDeps['lookup'] {
  return async (known) => {
    const { version, resourceServers } = await rpc.lookupResourceServers({ version: known })
    return version === known ? undefined : { version, servers: resourceServers.map(toResourceServer) }
  }
}

function toResourceServer({
  scopes,
  tokenLifetime,
  roles,
  claimsShape,
  ...message
}: ResourceServerMessage): ResourceServer {
  return {
    ...{ ...message, tokenLifetime, claimsShape: claimsShapeOf(claimsShape) },
    scopes: new Map(scopes.map(({ scope, description }) => [scope, description])),
    roles: new Map(roles.map((role) => [role.name, role.scopes])),
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
    createdBy: clientDecider(message.createdBy),
    scopeSetBy: clientDecider(message.scopeSetBy),
    metadata: message.metadata ?? {},
    revision: message.revision,
    secrets: message.secrets.map(({ digest, expiresAt }) => ({
      // A copy: the digest of the message is a part of a buffer of 64 KB, which the cache would keep with it.
      digest: new Uint8Array(digest),
      expiresAt: expiresAt?.getTime(),
    })),
  }
}

/** Gives clients more scope through the client registry. */
export function scopeWideningOver(
  registry: Pick<RpcClient<typeof ClientRegistryServiceService>, 'widenClientScope'>,
): ScopeWidening {
  const ask = async (clientId: string, scope: string, checkOnly: boolean) => {
    await registry.widenClientScope({ clientId, scope, checkOnly })
  }
  return {
    check: (clientId, scope) => ask(clientId, scope, true),
    widen: (clientId, scope) => ask(clientId, scope, false),
  }
}

/** The needs of reading metadata documents through the client registry. */
export type ClientIdDocumentDeps = {
  /** OAUTH2_CLIENT_METADATA_DOCUMENTS. */
  enabled: boolean
  registry: Pick<RpcClient<typeof ClientRegistryServiceService>, 'readClientIdDocument'>
  /** Makes the client cache look the client up again. */
  forgetClient(clientId: string): void
}

/** Reads client ID metadata documents through the client registry. Other clients, and all where it is off, are left alone. */
export function clientIdDocumentsOver({
  enabled,
  registry,
  forgetClient,
}: ClientIdDocumentDeps): AuthorizationFlowDeps['readClientIdDocument'] {
  return async (clientId, ipAddress) => {
    if (!enabled || !isDocumentClientId(clientId)) return
    const { changed } = await registry.readClientIdDocument({ clientId, ipAddress })
    if (changed) forgetClient(clientId)
  }
}
