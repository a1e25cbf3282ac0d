import type { KeepEvent } from '@gatehouse/data/pending-events'
import { addressRule } from '@gatehouse/kit/fetch/address-rule'
import { createFetcher, type Fetcher } from '@gatehouse/kit/fetch/guarded-fetch'
import type { ProcessContext } from '@gatehouse/kit/process/process'
import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import type { Implementation } from '@gatehouse/kit/rpc/rpc-server'
import type { Database } from '@gatehouse/prisma/database'
import type { ClientRegistryServiceService } from '@gatehouse/proto/clientregistry/v1'
import type { IdentityConfig } from './config.ts'
import { createConnectionProviders } from './connections/connection-providers.ts'
import type { ConnectionEncryption } from './connections/connection-secrets.ts'
import { connectionFetch, failuresKept } from './connections/provider-requests.ts'
import { type ConnectionLoginRpcDeps, connectionLoginRpcs } from './rpc/connection-login-rpc.ts'
import { connectionRpcs } from './rpc/connection-rpc.ts'
import { createEndConnectionLogins } from './store/connection-ends.ts'
import { connectionStores } from './store/connections/connection-stores.ts'
import type { MailWriter } from './store/mail/mails.ts'

/** In milliseconds. Reading a provider's metadata must end before the gateway gives up, which is after 5 s. */
const metadataTimeout = 4_000
/** In milliseconds, for all requests of one login step together. */
const loginTimeout = 5_000

/** The needs of connections. */
type Deps = Pick<
  ConnectionLoginRpcDeps,
  | 'randomBytes'
  | 'randomUuid'
  | 'now'
  | 'loginHistory'
  | 'mayRecord'
  | 'sessions'
  | 'pendingLogins'
  | 'deliver'
  | 'names'
  | 'emit'
  | 'log'
  | 'counted'
> & {
  database: Pick<Database, 'pool' | 'prisma'>
  keepEvent: KeepEvent
  writer: MailWriter
  clientRegistry: Pick<RpcClient<typeof ClientRegistryServiceService>, 'lookupResourceServers'>
  /** undefined without OAUTH2_FACTOR_KEY. */
  encryption: ConnectionEncryption | undefined
}

/** The services about connections to other identity providers. Without organizations nobody logs in by them. */
export function openConnections(
  { config, onShutdown }: ProcessContext<IdentityConfig>,
  { database, keepEvent, writer, clientRegistry, encryption, ...beginning }: Deps,
): Implementation[] {
  const rule = addressRule(config.OAUTH2_FETCH_ALLOWED_NETWORKS)
  const openFetcher = (timeoutMs: number): Fetcher => {
    const fetcher = createFetcher({ rule, timeoutMs })
    onShutdown(() => fetcher.close())
    return fetcher
  }
  const shared = {
    ...beginning,
    ...connectionStores(database, {
      keepEvent,
      endLogins: createEndConnectionLogins(config.OAUTH2_OPENID_ENABLED),
      policy: config.OAUTH2_MFA,
      mails: writer,
    }),
    encryption,
    findRoles: async () => (await clientRegistry.lookupResourceServers({})).resourceServers,
  }
  const providers = createConnectionProviders({
    ...{ encryption, config, publicBaseUrl: config.OAUTH2_SERVER_PUBLIC_BASE_URL, now: Date.now },
    ...{
      fetch: connectionFetch(openFetcher(loginTimeout)),
      timeoutMs: loginTimeout,
      failuresKeptMs: failuresKept,
    },
  })
  return [
    connectionRpcs({ ...shared, rule, fetcher: openFetcher(metadataTimeout) }),
    connectionLoginRpcs({ ...shared, providers, isOn: config.OAUTH2_ORGANIZATIONS_ENABLED }),
  ]
}
