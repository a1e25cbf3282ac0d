import { randomBytes, randomUUID } from 'node:crypto'
import { auditRpcs } from '@gatehouse/data/audit'
import { createElection } from '@gatehouse/data/election'
import { startDelivery } from '@gatehouse/data/revocation-delivery'
import { openServiceDatabase } from '@gatehouse/data/service-database'
import { openEmission } from '@gatehouse/kit/emission'
import { runProcess } from '@gatehouse/kit/process'
import { repeat } from '@gatehouse/kit/repeat'
import { serve } from '@gatehouse/kit/service'
import { createClientCount } from './client-count.ts'
import { clientRegistryConfig } from './config.ts'
import { clientRegistryMetrics } from './metrics.ts'
import { openScopesOf } from './resource-server.ts'
import { clientRegistryRpcs } from './rpc.ts'
import { createClientChangeStore, findChange } from './store/client-changes.ts'
import { createClientListStore } from './store/client-list.ts'
import { createClientStore } from './store/clients.ts'
import { createResourceServerChangeStore } from './store/resource-server-changes.ts'
import { createResourceServerStore } from './store/resource-servers.ts'

/** In milliseconds. */
const countEvery = 30_000

await runProcess('client-registry', clientRegistryConfig, async (context) => {
  const emit = openEmission(context)
  const database = await openServiceDatabase(context)
  const store = createClientStore(database)
  const election = createElection(database.pool, 'client count')
  const count = createClientCount({
    isElected: election.isElected,
    countClients: store.count,
    setTotal: clientRegistryMetrics(context.registry).setTotal,
  })
  await count().catch((error) => context.log.warn({ err: error }, 'counting failed; will be tried again'))
  context.onShutdown(election.resign)
  repeat(context, 'counting the clients', countEvery, count)

  const resourceServers = createResourceServerStore(database)
  const making = {
    scopesSupported: new Set(context.config.OAUTH2_SCOPES_SUPPORTED.split(' ')),
    publicClients: context.config.OAUTH2_PUBLIC_CLIENTS_ENABLED,
    randomUuid: randomUUID,
    randomBytes,
  }
  const openResourceScopes =
    context.config.OAUTH2_RESOURCE_INDICATORS === 'registered'
      ? async () => openScopesOf(await resourceServers.all())
      : async () => []
  const deliver = startDelivery(context, {
    database,
    schema: 'clients',
    tokenTarget: context.config.OAUTH2_TOKEN_ADDR,
    findClient: findChange,
  })
  const admin = {
    list: createClientListStore(database),
    changes: { ...making, store: createClientChangeStore(database, emit), deliver, emit },
  }
  await serve(context, {
    implementations: [
      clientRegistryRpcs({
        registration: { ...making, openResourceScopes, store, emit },
        store,
        admin,
        resourceServers: {
          store: resourceServers,
          changes: {
            store: createResourceServerChangeStore(database, emit),
            deliver,
            issuer: context.config.OAUTH2_SERVER_PUBLIC_BASE_URL,
          },
        },
      }),
      auditRpcs(database, 'clients'),
    ],
    probeDatabase: database.probe,
  })
})
