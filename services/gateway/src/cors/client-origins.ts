import type { Logger } from '@gatehouse/kit/log'
import type { RpcClient } from '@gatehouse/kit/rpc-client'
import type { ClientRegistryServiceService } from '@gatehouse/proto/clientregistry/v1'

/** The origins whose pages may call the server for a client. */
export type ClientOrigins = {
  /** Whether any enabled client lists the origin. */
  has(origin: string): boolean
  /** Whether this client is enabled and lists the origin. */
  lists(clientId: string, origin: string): boolean
}

/** In milliseconds: how long the gateway waits for the registry's answer. */
const patience = 1_000

/**
 * Knows the origins of clients as the client registry last gave them: its last answer is kept while the registry is away.
 * @param now milliseconds since the Unix epoch
 * @returns refresh asks whether they have changed, and throws what the registry's call throws
 */
export function createClientOrigins(
  registry: Pick<RpcClient<typeof ClientRegistryServiceService>, 'lookupClientOrigins'>,
  now: () => number,
  log: Pick<Logger, 'warn'>,
): ClientOrigins & { refresh(): Promise<void> } {
  let version = ''
  let clientsOf: ReadonlyMap<string, ReadonlySet<string>> = new Map()
  return {
    has: (origin) => clientsOf.has(origin),
    lists: (clientId, origin) => clientsOf.get(origin)?.has(clientId) === true,
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
