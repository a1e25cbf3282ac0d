import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import { isStorable } from '@gatehouse/kit/storable'
import type { Logger } from '@gatehouse/kit/telemetry/log'
import {
  isDocumentClientId,
  isGeneratedClientId,
  longestDocumentClientId,
} from '@gatehouse/proto/client-id-documents'
import type { ClientRegistryServiceService } from '@gatehouse/proto/clientregistry/v1'
import { webOriginsOf } from '@gatehouse/proto/web-origins'
import { LRUCache } from 'lru-cache'

/** The origins whose pages may call the server for a client. */
export type ClientOrigins = {
  /** Whether any enabled client may list the origin. */
  has(origin: string): boolean
  /** Whether this client is enabled and lists the origin. */
  lists(clientId: string, origin: string): boolean | Promise<boolean>
}

/** The needs of knowing them. */
export type ClientOriginsDeps = {
  registry: Pick<
    RpcClient<typeof ClientRegistryServiceService>,
    'lookupClientOrigins' | 'lookupRegisteredOrigin'
  >
  /** Whether anybody may register a client, with redirect URIs of any origin. */
  open: boolean
  /** Milliseconds since the Unix epoch. */
  now(): number
  log: Pick<Logger, 'warn' | 'info'>
}

/** In milliseconds: how long the gateway waits for the registry's answer. */
const patience = 1_000
/** How many answers about clients that registered themselves are remembered, and for how long, in milliseconds. */
const remembered = { max: 2_000, ttl: 1_000 }
/** In characters. No host's name is as long. */
const longestOrigin = 300

/**
 * Knows the origins of clients. Those of administrators' clients are a list, whose last state is kept while the registry is away.
 * Where anybody may register, the registry is asked about each of the other clients when a page calls for it: a list of them would be
 * as long as strangers like. There a preflight, which names no client, is answered for every origin.
 * @returns refresh asks whether the list has changed, and throws the error of the registry's call
 */
export function createClientOrigins({
  registry,
  open,
  now,
  log,
}: ClientOriginsDeps): ClientOrigins & { refresh(): Promise<void> } {
  let version: string | undefined
  let clientsOf: ReadonlyMap<string, ReadonlySet<string>> = new Map()
  const registered = new LRUCache<string, boolean, { clientId: string; origin: string }>({
    ...remembered,
    fetchMethod: async (_key, _stale, { context }) => {
      const { listed } = await registry.lookupRegisteredOrigin(context, { deadline: now() + patience })
      return listed
    },
  })

  async function isRegistered(clientId: string, origin: string): Promise<boolean> {
    if (!mayBeRegistered(clientId) || !isWebOrigin(origin)) return false
    try {
      return (await registered.fetch(`${origin} ${clientId}`, { context: { clientId, origin } })) === true
    } catch (error) {
      log.info({ err: error }, 'the origins of a client are not known, so no page may read this answer')
      return false
    }
  }

  return {
    has: (origin) => clientsOf.has(origin) || (open && isWebOrigin(origin)),
    lists: (clientId, origin) =>
      clientsOf.get(origin)?.has(clientId) === true || (open && isRegistered(clientId, origin)),
    async refresh() {
      const answer = await registry.lookupClientOrigins({ version }, { deadline: now() + patience })
      if (answer.version === version) return
      if (answer.incomplete)
        log.warn('too many clients have origins: pages of the others cannot call this server')
      const found = new Map<string, Set<string>>()
      for (const { clientId, origins } of answer.clients)
        for (const origin of origins) {
          const clients = found.get(origin) ?? new Set()
          found.set(origin, clients.add(clientId))
        }
      clientsOf = found
      version = answer.version
    },
  }
}

/** Anybody may send any text as a client's id, and each one that is asked about costs the registry a statement. */
function mayBeRegistered(clientId: string): boolean {
  const isOfDocument = isDocumentClientId(clientId) && clientId.length <= longestDocumentClientId
  return isGeneratedClientId(clientId) || (isOfDocument && isStorable(clientId))
}

/** Whether a text is the origin of a web page, as browsers write it (RFC 6454 section 6.2). */
function isWebOrigin(origin: string): boolean {
  return origin.length <= longestOrigin && webOriginsOf([origin]).includes(origin)
}
