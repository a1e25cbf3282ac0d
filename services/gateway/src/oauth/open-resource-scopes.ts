import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import type { ClientRegistryServiceService } from '@gatehouse/proto/clientregistry/v1'
import { openScopesOf } from '@gatehouse/proto/resource-servers'

/** In milliseconds: how long the registry's answer is kept, and how long discovery waits for it. */
const keptFor = 1_000
const patience = 1_000

/**
 * Asks the client registry now and then which scopes of resource servers are open to registration.
 * @param now milliseconds since the Unix epoch
 * @returns a function that gives them: the last known ones while the registry is unavailable
 */
export function createOpenResourceScopes(
  registry: Pick<RpcClient<typeof ClientRegistryServiceService>, 'lookupResourceServers'>,
  now: () => number,
): () => Promise<readonly string[]> {
  let version: string | undefined
  let scopes: readonly string[] = []
  let askAgain = 0
  return async () => {
    if (now() < askAgain) return scopes
    askAgain = now() + keptFor
    try {
      const answer = await registry.lookupResourceServers({ version }, { deadline: now() + patience })
      if (answer.version === version) return scopes
      version = answer.version
      scopes = openScopesOf(answer.resourceServers)
    } catch {
      // Discovery can do without them.
    }
    return scopes
  }
}
