import { setTimeout as sleep } from 'node:timers/promises'
import { openEmission } from '@gatehouse/kit/emission'
import { createHealthClient } from '@gatehouse/kit/health-client'
import { peerAt } from '@gatehouse/kit/peer'
import { listenError, runProcess } from '@gatehouse/kit/process'
import { instance, version } from '@gatehouse/kit/release'
import { repeat } from '@gatehouse/kit/repeat'
import { createRpcClient, type Service } from '@gatehouse/kit/rpc-client'
import { shared } from '@gatehouse/kit/shared'
import { AuditServiceService } from '@gatehouse/proto/audit/v1'
import { ClientRegistryServiceService } from '@gatehouse/proto/clientregistry/v1'
import { EventsServiceService } from '@gatehouse/proto/events/v1'
import { enabledGrantTypes } from '@gatehouse/proto/grants'
import { IdentityServiceService } from '@gatehouse/proto/identity/v1'
import { TokenServiceService } from '@gatehouse/proto/token/v1'
import { drainKeepAlive } from './closing.ts'
import { gatewayConfig } from './config.ts'
import { eventIngestionOver } from './event-ingestion.ts'
import { openLimits } from './limits/open-limits.ts'
import { lookAtReplicas } from './replicas.ts'
import { createServer } from './server.ts'
import { systemMetrics } from './system-metrics.ts'
import { createSystemWatch, type SystemState } from './system-state.ts'
import { tokenServiceOver } from './token-service.ts'
import { trustedProxies } from './trusted-proxies.ts'

/** In milliseconds. */
const callTimeout = 5_000
const lookEvery = 1_000
/** How long the start waits for the services, which may be starting too. */
const startPatience = 10_000
/** How many callers may connect at the same moment. A caller for whom Node's 511 leave no room retries only after seconds. */
const backlog = 4_096

await runProcess('gateway', gatewayConfig, async (context) => {
  const { config, log, registry, onShutdown } = context
  const services = {
    token: peerAt(context, config.OAUTH2_TOKEN_ADDR),
    'client-registry': peerAt(context, config.OAUTH2_CLIENT_REGISTRY_ADDR),
    identity: peerAt(context, config.OAUTH2_IDENTITY_ADDR),
    events: peerAt(context, config.OAUTH2_EVENTS_ADDR),
  }
  // When resilience is off, it is not even loaded.
  const resilience = config.OAUTH2_RESILIENCE_ENABLED
    ? (await import('./resilience/open-resilience.ts')).openResilience(context, callTimeout)
    : undefined
  const connect = <const S extends Service>(service: S, name: keyof typeof services) => {
    const client = createRpcClient(service, services[name], callTimeout)
    return resilience ? resilience.protect(name, client) : client
  }
  // Each service's audit log is read over the channel to that service.
  const token = connect({ ...TokenServiceService, ...AuditServiceService }, 'token')
  const clientRegistry = connect(
    { ...ClientRegistryServiceService, ...AuditServiceService },
    'client-registry',
  )
  const identity = connect({ ...IdentityServiceService, ...AuditServiceService }, 'identity')
  const events = connect(EventsServiceService, 'events')
  const tokens = tokenServiceOver(token)
  const emit = openEmission(context)
  const health = Object.fromEntries(
    Object.entries(services).map(([service, peer]) => [service, createHealthClient(peer)]),
  )
  onShutdown(() => {
    for (const client of [token, clientRegistry, identity, events, ...Object.values(health)]) client.close()
  })

  const system = createSystemWatch({ services: health, now: Date.now })
  repeat(context, 'looking at the services', lookEvery, system.look)
  await system.look()

  const limits = config.OAUTH2_RATE_LIMIT_ENABLED ? openLimits(context) : undefined
  const app = await createServer({
    limits,
    backPressure: resilience?.backPressure,
    tokens: resilience ? resilience.protectItems(tokens) : tokens,
    clientRegistry,
    identity,
    eventing: config.OAUTH2_EVENTS_ENABLED
      ? {
          events,
          ingest: eventIngestionOver(events),
          ingestToken: config.OAUTH2_EVENTS_INGEST_TOKEN,
        }
      : undefined,
    emit,
    system,
    auditLogs: [token, clientRegistry, identity],
    replicas: shared(() => lookAtReplicas(services)),
    collectMetrics: shared(() =>
      systemMetrics({
        own: () => registry.metrics(),
        instance,
        services,
        missing: (service, error) => log.warn({ err: error, service }, 'a service gave no metrics'),
      }),
    ),
    issuer: config.OAUTH2_SERVER_PUBLIC_BASE_URL,
    scopesSupported: config.OAUTH2_SCOPES_SUPPORTED.split(' '),
    registration: { mode: config.OAUTH2_REGISTRATION, token: config.OAUTH2_REGISTRATION_TOKEN },
    grantTypes: enabledGrantTypes(config),
    publicClients: config.OAUTH2_PUBLIC_CLIENTS_ENABLED,
    resourceIndicators: config.OAUTH2_RESOURCE_INDICATORS === 'registered',
    sessionKey: config.OAUTH2_SESSION_KEY,
    trustProxy: trustedProxies(config.OAUTH2_SERVER_TRUST_PROXY_HEADERS),
    corsOrigins: config.OAUTH2_CORS_ORIGINS?.split(' ') ?? [],
    version,
    stopping: context.stopping,
    log,
    registry,
  })
  onShutdown(async () => {
    await drainKeepAlive(app.server)
    await app.close()
  })
  const { OAUTH2_SERVER_HOST: host, OAUTH2_SERVER_PORT: port } = config
  await app.listen({ host, port, backlog }).catch((error) => {
    throw listenError(error, port, 'OAUTH2_SERVER_PORT')
  })
  // All processes start at once. Waiting keeps the first caller from a 503 only because the gateway was quicker.
  const patience = Date.now() + startPatience
  const someAway = ({ services }: SystemState) => Object.values(services).includes('unavailable')
  while (someAway(await system.look()) && Date.now() < patience && !context.stopping.aborted) await sleep(100)
})
