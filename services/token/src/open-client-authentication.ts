import { addressRule } from '@gatehouse/kit/fetch/address-rule'
import { createFetcher } from '@gatehouse/kit/fetch/guarded-fetch'
import type { ProcessContext } from '@gatehouse/kit/process/process'
import type { Database } from '@gatehouse/prisma/database'
import { assertionAudiences } from './clients/assertions/assertion-audience.ts'
import type { ClientIdentificationDeps } from './clients/client-authentication.ts'
import { createClientKeys } from './clients/public-keys/client-keys.ts'
import { createFetchedKeys } from './clients/public-keys/fetched-keys.ts'
import { createKeySetReading, keySetTimeout } from './clients/public-keys/key-set-reading.ts'
import type { TokenConfig } from './config.ts'
import type { openClients } from './other-services/open-registry-client.ts'
import { createProofStore } from './store/proofs/spent-proofs.ts'

/** All that clients are authenticated with. */
export function openClientAuthentication(
  { config, log, onShutdown }: Pick<ProcessContext<TokenConfig>, 'config' | 'log' | 'onShutdown'>,
  database: Pick<Database, 'pool'>,
  { find, noteSecretUse, noteKeyUse, refresh }: ReturnType<typeof openClients>,
) {
  const rule = addressRule(config.OAUTH2_FETCH_ALLOWED_NETWORKS)
  const fetcher = createFetcher({ rule, timeoutMs: keySetTimeout })
  onShutdown(async () => fetcher.close())
  const read = createKeySetReading({ fetcher, log })
  return {
    ...{ findClient: find, refreshClient: refresh, noteSecretUse, noteKeyUse },
    publicClientsEnabled: config.OAUTH2_PUBLIC_CLIENTS_ENABLED,
    clientAuthMethods: new Set(config.OAUTH2_CLIENT_AUTH_METHODS.split(' ')),
    keys: createClientKeys(createFetchedKeys({ read, monotonicNow: () => performance.now() })),
    proofs: createProofStore(database),
    audiences: assertionAudiences(config.OAUTH2_SERVER_PUBLIC_BASE_URL),
    now: Date.now,
  } satisfies ClientIdentificationDeps & { refreshClient: unknown }
}
