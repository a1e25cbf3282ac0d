import { checkSecretLength } from '@gatehouse/kit/config'
import { cacheMetrics } from '@gatehouse/kit/metrics'
import { runProcess } from '@gatehouse/kit/process'
import { repeat } from '@gatehouse/kit/repeat'
import { createRpcClient } from '@gatehouse/kit/rpc-client'
import { serve } from '@gatehouse/kit/service'
import { createElection } from '@gatehouse/prisma/election'
import { openServiceDatabase } from '@gatehouse/prisma/service-database'
import { ClientRegistryServiceService } from '@gatehouse/proto/clientregistry/v1'
import { createAccessTokenSigner } from './access-token.ts'
import { createClientCache } from './client-cache.ts'
import { longestAccessTokenLifetime, tokenConfig } from './config.ts'
import { grantType } from './grants/client-credentials.ts'
import { createMaintenance } from './maintenance.ts'
import { tokenMetrics } from './metrics.ts'
import { clientRegistryOver } from './registry-client.ts'
import { tokenRpcs } from './rpc.ts'
import { createAccessTokenStore } from './store/access-tokens.ts'
import { countActiveTokens } from './store/active-tokens.ts'
import { deleteExpiredRevocations } from './store/expired-revocations.ts'
import { createPartitions } from './store/partitions.ts'
import { createRevocationStore } from './store/revocations.ts'

/** In milliseconds. */
const registryTimeout = 2_000
const revalidateEvery = 1_000
const maintainEvery = 30_000

await runProcess('token', tokenConfig, async (context) => {
  const { config, log, registry } = context
  const now = Date.now
  const shortSecret = checkSecretLength('OAUTH2_JWT_SECRET', config.OAUTH2_JWT_SECRET, config.NODE_ENV)
  if (shortSecret) log.warn(shortSecret)

  const metrics = tokenMetrics(registry, [grantType])
  const cache = cacheMetrics(registry)
  const database = await openServiceDatabase(context)
  const partitions = createPartitions(database)
  const store = createAccessTokenStore({ database, makePartitions: partitions.make })

  const rpc = createRpcClient(
    ClientRegistryServiceService,
    config.OAUTH2_CLIENT_REGISTRY_ADDR,
    registryTimeout,
  )
  context.onShutdown(() => rpc.close())
  const clients = createClientCache({
    registry: clientRegistryOver(rpc),
    now,
    hit: () => cache.hits.inc({ cache: 'client' }),
    miss: () => cache.misses.inc({ cache: 'client' }),
    unreachable: (error) =>
      error
        ? log.warn({ err: error }, 'the client registry is away')
        : log.info('the client registry is back'),
  })
  repeat(context, 'revalidating clients', revalidateEvery, clients.revalidate)

  const election = createElection(database.pool, 'token maintenance')
  const maintain = createMaintenance({
    isElected: election.isElected,
    maintainPartitions: () => partitions.maintain(now() / 1000),
    deleteExpiredRevocations: () => deleteExpiredRevocations(database),
    countActiveTokens: () => countActiveTokens(database),
    setActive: metrics.setActive,
    now,
    log,
  })
  await maintain().catch((error) => log.warn({ err: error }, 'maintenance failed; will be tried again'))
  context.onShutdown(election.resign)
  repeat(context, 'maintenance', maintainEvery, maintain)

  const issuer = config.OAUTH2_SERVER_PUBLIC_BASE_URL
  const audience = config.OAUTH2_ACCESS_TOKEN_AUDIENCE ?? issuer
  const signer = createAccessTokenSigner(config.OAUTH2_JWT_SECRET, issuer, audience)
  const authentication = { findClient: clients.find, now }
  await serve(context, {
    implementations: [
      tokenRpcs({
        issuing: {
          ...authentication,
          signer,
          store,
          issuer,
          audience,
          accessTokenLifetime: config.OAUTH2_ACCESS_TOKEN_TTL,
        },
        introspection: {
          ...authentication,
          signer,
          store,
          requireAuthentication: config.OAUTH2_INTROSPECTION_REQUIRE_AUTH,
        },
        revocation: { ...authentication, signer, store },
        revocations: createRevocationStore(database, longestAccessTokenLifetime),
        metrics,
        log,
      }),
    ],
    probeDatabase: database.probe,
  })
})
