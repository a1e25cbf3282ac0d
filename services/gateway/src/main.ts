import { setTimeout as sleep } from 'node:timers/promises'
import { openEmission } from '@gatehouse/kit/events/emission'
import { bareHost } from '@gatehouse/kit/host'
import { listenError, type ProcessContext, runProcess } from '@gatehouse/kit/process/process'
import { instance, version } from '@gatehouse/kit/release'
import { createHealthClient } from '@gatehouse/kit/rpc/health-client'
import { peerAt } from '@gatehouse/kit/rpc/peer'
import { createRpcClient, type Service } from '@gatehouse/kit/rpc/rpc-client'
import { shared } from '@gatehouse/kit/shared'
import { repeat } from '@gatehouse/kit/time/repeat'
import { enabledKeyPairAlgorithms } from '@gatehouse/proto/algorithms'
import { AuditServiceService } from '@gatehouse/proto/audit/v1'
import { ClientRegistryServiceService } from '@gatehouse/proto/clientregistry/v1'
import { ConnectionLoginServiceService, ConnectionServiceService } from '@gatehouse/proto/connection/v1'
import { EventsServiceService } from '@gatehouse/proto/events/v1'
import { IdentityServiceService } from '@gatehouse/proto/identity/v1'
import { MailServiceService } from '@gatehouse/proto/mail/v1'
import {
  DomainServiceService,
  InvitationServiceService,
  OrganizationServiceService,
} from '@gatehouse/proto/organization/v1'
import { profileBehaviour } from '@gatehouse/proto/profiles'
import { SecretsServiceService } from '@gatehouse/proto/secrets/v1'
import { TokenServiceService } from '@gatehouse/proto/token/v1'
import { type GatewayConfig, gatewayConfig } from './config.ts'
import { openServerCertificates } from './connections/certificate.ts'
import { type ClientOrigins, type ClientOriginsDeps, createClientOrigins } from './cors/client-origins.ts'
import { eventIngestionOver } from './events/event-ingestion.ts'
import { drainKeepAlive } from './http/closing.ts'
import { openLimits } from './limits/open-limits.ts'
import { createKeySet } from './oauth/key-set.ts'
import { openPlaces } from './people/account/places.ts'
import { createServers } from './server.ts'
import { identityServiceOver } from './services/identity-service.ts'
import { sharedTokenCalls, tokenServiceOver } from './services/token-service.ts'
import { settingsOf } from './settings.ts'
import { type AwaitServicesDeps, awaitServices } from './system/await-services.ts'
import { lookAtReplicas } from './system/replicas.ts'
import { systemMetrics } from './system/system-metrics.ts'
import { createSystemWatch, type SystemState } from './system/system-state.ts'
import { tellSecrets } from './system/tell-secrets.ts'

/** In milliseconds. */
const callTimeout = 5_000
const lookEvery = 1_000
const originsEvery = 1_000
/** Short, because the last key set is given when the token service does not answer. */
const keySetTimeout = 1_000
/** How many callers may connect at the same moment. A caller for whom Node's 511 leave no room retries only after seconds. */
const backlog = 4_096

await runProcess('gateway', gatewayConfig, async (context) => {
  const { config, log, registry, onShutdown } = context
  const { services, resilience, clients, connections, health } = await connectServices(context)
  const { token, clientRegistry, identity, events } = clients
  const tokens = tokenServiceOver(token)
  const people = identityServiceOver(identity)
  const emit = openEmission(context)
  const system = createSystemWatch({ services: health, isCutOff: resilience?.isCutOff, now: Date.now })
  repeat(context, 'looking at the services', lookEvery, system.look)
  const settings = settingsOf(config)
  tellSecrets(context, config.OAUTH2_IDENTITY_ADDR, { OAUTH2_SESSION_KEY: settings.sessionKey })
  const [clientOrigins] = await Promise.all([
    settings.corsOrigins.includes('*') ? undefined : openClientOrigins(context, clientRegistry),
    system.look(),
  ])

  const limits = config.OAUTH2_RATE_LIMIT_ENABLED ? await openLimits(context) : undefined
  const { app, mutualTls } = await createServers({
    ...settings,
    ...(await openServerCertificates(config, context)),
    limits,
    backPressure: resilience?.backPressure,
    tokens: resilience ? resilience.protectItems('token', tokens, sharedTokenCalls) : tokens,
    clientRegistry,
    identity: resilience ? resilience.protectItems('identity', people, ['getSession']) : people,
    mails: identity,
    organizationService: clients.organizations,
    connectionService: clients.connections,
    events,
    eventing: config.OAUTH2_EVENTS_ENABLED
      ? {
          events,
          ingest: eventIngestionOver(events),
          ingestToken: config.OAUTH2_EVENTS_INGEST_TOKEN,
        }
      : undefined,
    emit,
    system,
    auditLogs: [token, clientRegistry, identity, ...(config.OAUTH2_EVENTS_ENABLED ? [events] : [])],
    encrypting: { token, identity },
    replicas: shared(() => lookAtReplicas(services)),
    rateLimits: async () => limits && { perMinute: limits.limits, ...(await limits.over.list()) },
    // As bytes, which the answers to callers of the same moment share.
    collectMetrics: shared(async () =>
      Buffer.from(
        await systemMetrics({
          own: () => registry.metrics(),
          instance,
          services,
          missing: (service, error) => log.warn({ err: error, service }, 'a service gave no metrics'),
        }),
      ),
    ),
    keySet:
      enabledKeyPairAlgorithms(config).length > 0
        ? createKeySet({
            read: async () => (await token.getKeySet({}, { deadline: Date.now() + keySetTimeout })).keySet,
            monotonicNow: () => performance.now(),
          })
        : undefined,
    places: await openPlaces(config.OAUTH2_GEOIP_DATABASE, context),
    clientOrigins,
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
  await app.listen({ host: bareHost(host), port, backlog }).catch((error) => {
    throw listenError(error, port, 'OAUTH2_SERVER_PORT')
  })
  const mutualTlsPort = config.OAUTH2_MTLS_PORT
  if (mutualTls && mutualTlsPort !== undefined) {
    const listening = mutualTls.listen({ host: bareHost(host), port: mutualTlsPort, backlog })
    const server = await listening.catch((error) => {
      throw listenError(error, mutualTlsPort, 'OAUTH2_MTLS_PORT')
    })
    onShutdown(() => drainKeepAlive(server))
  }
  await untilServicesAnswer(context, connections, system.look)
})

type Context = ProcessContext<GatewayConfig>

/** Keeps what the client registry knows of the origins of clients; undefined in a profile where those do not count. */
async function openClientOrigins(
  context: Context,
  registry: ClientOriginsDeps['registry'],
): Promise<ClientOrigins | undefined> {
  const { config, log } = context
  if (!profileBehaviour.clientOrigins[config.OAUTH2_PROFILE]) return undefined
  const open = config.OAUTH2_REGISTRATION === 'open'
  const origins = createClientOrigins({ registry, open, now: Date.now, log })
  await origins
    .refresh()
    .catch((error) => log.info({ err: error }, 'the origins of clients are not known yet'))
  repeat(context, 'looking up the origins of clients', originsEvery, origins.refresh)
  return origins
}

/** Connects to every service. The connections close with the process. */
async function connectServices(context: Context) {
  const { config } = context
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
  const connections = new Map<string, { connect(deadline: number): Promise<boolean> }>()
  const connect = <const S extends Service>(service: S, name: keyof typeof services) => {
    const client = createRpcClient(service, services[name], callTimeout)
    connections.set(name, client)
    return resilience ? resilience.protect(name, client) : client
  }
  // Each service's audit log is read over the channel to that service, as are all services of one process.
  const clients = {
    token: connect({ ...TokenServiceService, ...AuditServiceService, ...SecretsServiceService }, 'token'),
    clientRegistry: connect({ ...ClientRegistryServiceService, ...AuditServiceService }, 'client-registry'),
    identity: connect(
      { ...IdentityServiceService, ...MailServiceService, ...AuditServiceService, ...SecretsServiceService },
      'identity',
    ),
    // Of its own, since two services have RPCs with the same names.
    organizations: connect(
      { ...OrganizationServiceService, ...InvitationServiceService, ...DomainServiceService },
      'identity',
    ),
    connections: connect({ ...ConnectionServiceService, ...ConnectionLoginServiceService }, 'identity'),
    events: connect({ ...EventsServiceService, ...AuditServiceService }, 'events'),
  }
  const health = Object.fromEntries(
    Object.entries(services).map(([service, peer]) => [service, createHealthClient(peer)]),
  )
  context.onShutdown(() => {
    for (const client of [...Object.values(clients), ...Object.values(health)]) client.close()
  })
  return { services, resilience, clients, connections, health }
}

/** The connections over which each service is called, by its name. */
type Connections = AwaitServicesDeps['connections']

/** Waits for the services, so that a gateway that is ready can answer. */
async function untilServicesAnswer(
  { config, log, stopping }: Context,
  connections: Connections,
  look: () => Promise<SystemState>,
): Promise<void> {
  const needed = [...connections].filter(([name]) => name !== 'events' || config.OAUTH2_EVENTS_ENABLED)
  const deps = { connections: new Map(needed), look, stopping, now: Date.now, sleep }
  const missing = await awaitServices(deps)
  if (missing.length > 0 && !stopping.aborted)
    log.warn({ services: missing }, 'started, although not every service answers')
}
