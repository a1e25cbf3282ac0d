import { randomBytes } from 'node:crypto'
import type { KeepEvent } from '@gatehouse/data/pending-events'
import { addressRule } from '@gatehouse/kit/fetch/address-rule'
import { createFetcher } from '@gatehouse/kit/fetch/guarded-fetch'
import type { ProcessContext } from '@gatehouse/kit/process/process'
import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import type { Implementation } from '@gatehouse/kit/rpc/rpc-server'
import type { Keyring } from '@gatehouse/kit/secrets/keyring'
import type { Database } from '@gatehouse/prisma/database'
import type { ClientRegistryServiceService } from '@gatehouse/proto/clientregistry/v1'
import type { IdentityConfig } from './config.ts'
import { createConnectionEncryption } from './connections/connection-secrets.ts'
import { connectionRpcs } from './rpc/connection-rpc.ts'
import { createEndConnectionLogins } from './store/connection-ends.ts'
import { connectionStores } from './store/connections/connection-stores.ts'

/** In milliseconds. Reading a provider's metadata must end before the gateway gives up, which is after 5 s. */
const metadataTimeout = 4_000

/** The needs of connections. */
type Deps = {
  database: Pick<Database, 'pool' | 'prisma'>
  keepEvent: KeepEvent
  clientRegistry: Pick<RpcClient<typeof ClientRegistryServiceService>, 'lookupResourceServers'>
  /** OAUTH2_FACTOR_KEY; undefined where none is set. */
  factorKey: Keyring | undefined
  deliver(...revocationIds: bigint[]): Promise<void>
}

/** The services about connections to other identity providers. */
export function openConnections(
  { config, onShutdown }: ProcessContext<IdentityConfig>,
  { database, keepEvent, clientRegistry, factorKey, deliver }: Deps,
): Implementation[] {
  const rule = addressRule(config.OAUTH2_FETCH_ALLOWED_NETWORKS)
  const fetcher = createFetcher({ rule, timeoutMs: metadataTimeout })
  onShutdown(() => fetcher.close())
  const endLogins = createEndConnectionLogins(config.OAUTH2_OPENID_ENABLED)
  return [
    connectionRpcs({
      ...connectionStores(database, { keepEvent, endLogins, policy: config.OAUTH2_MFA }),
      ...{ rule, fetcher, deliver },
      findRoles: async () => (await clientRegistry.lookupResourceServers({})).resourceServers,
      encryption: factorKey === undefined ? undefined : createConnectionEncryption(factorKey, randomBytes),
    }),
  ]
}
