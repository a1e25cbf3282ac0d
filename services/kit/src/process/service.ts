import { setTimeout as sleep } from 'node:timers/promises'
import type { TelemetryServiceService } from '@gatehouse/proto/telemetry/v1'
import { TelemetryServiceService as telemetry } from '@gatehouse/proto/telemetry/v1'
import { HealthImplementation } from 'grpc-health-check'
import { type CertificateFiles, requireKnownCallers } from '../config/config.ts'
import { instance } from '../release.ts'
import { databaseHealth, workHealth } from '../rpc/health-client.ts'
import { addReflection } from '../rpc/reflection.ts'
import { type Implementation, implement, startRpcServer } from '../rpc/rpc-server.ts'
import { generationsOf, type Keyrings } from '../secrets/generation.ts'
import { notedGateways } from '../secrets/noted-gateways.ts'
import { Gauge, metricPrefix } from '../telemetry/metrics.ts'
import { repeat } from '../time/repeat.ts'
import { listenError, type ProcessContext } from './process.ts'

/** The parts that a service adds to its server. */
export type ServiceOptions = {
  implementations: readonly Implementation[]
  /** The secrets that can be changed without ending anything, by the names of their variables. */
  keyrings?: Keyrings
  /** Resolves to whether the database answers, called once a second; absent if the service has no database. */
  probeDatabase?: () => Promise<boolean>
  /** Rejects if the process could not do its work now, called once a second; absent if only its database could keep it from that. */
  probeWork?: () => Promise<unknown>
}

/** The variables that a service's server needs. */
type ServerConfig = CertificateFiles & {
  OAUTH2_GRPC_HOST: string
  OAUTH2_GRPC_PORT: number
  OAUTH2_GRPC_PLAINTEXT: boolean
  OAUTH2_GRPC_REFLECTION: boolean
}

/** How long calls under way may take to finish when the process stops, in milliseconds: longer than any deadline. */
const drainTimeoutMs = 6_000

/**
 * Starts a service's gRPC server with its own methods, the gRPC health protocol, the telemetry service and, if it is switched on,
 * server reflection, and stops it when the process stops.
 * @param context the process
 * @param options the methods that it serves, and the probes of its health
 * @throws StartError if the port is taken
 * @throws ConfigurationError if other machines could call without a certificate and OAUTH2_GRPC_PLAINTEXT is off
 */
export async function serve(
  context: ProcessContext<ServerConfig>,
  { implementations, keyrings = {}, probeDatabase, probeWork }: ServiceOptions,
): Promise<void> {
  const { certificates, config, log, registry, name } = context
  const { OAUTH2_GRPC_HOST: host, OAUTH2_GRPC_PORT: port } = config
  requireKnownCallers(config)
  // A process with nothing to probe can always work; another one only when its first probe has said so.
  const health = new HealthImplementation({
    '': 'SERVING',
    [workHealth]: probeWork ? 'NOT_SERVING' : 'SERVING',
  })
  const answered = [...implementations, telemetryOf(context, keyrings)]
  const server = await startRpcServer(
    answered,
    { host, port, credentials: certificates?.server, actor: name, log, registry },
    (server) => {
      health.addToServer(server)
      if (config.OAUTH2_GRPC_REFLECTION) addReflection(server, namesOf(answered))
    },
  ).catch((error) => {
    throw listenError(error, port, 'OAUTH2_GRPC_PORT')
  })
  context.onShutdown(() => {
    health.setStatus('', 'NOT_SERVING')
    return server.close(drainTimeoutMs)
  })
  if (probeDatabase) await watchDatabase(context, health, probeDatabase)
  if (probeWork) await watchWork(context, health, probeWork)
  log.info({ grpcPort: server.port }, 'taking calls')
}

/** The full names of services. */
function namesOf(implementations: readonly Implementation[]): string[] {
  const paths = implementations.flatMap(({ service }) => Object.values(service).map(({ path }) => path))
  return ['grpc.health.v1.Health', ...new Set(paths.map((path) => path.split('/')[1] ?? ''))]
}

function telemetryOf({ registry }: ProcessContext<unknown>, keyrings: Keyrings): Implementation {
  const generations = generationsOf(keyrings)
  const gateways = notedGateways(() => performance.now())
  return implement<typeof TelemetryServiceService>(telemetry, {
    getMetrics: async () => ({
      text: await registry.metrics(),
      instance,
      generations,
      gateways: gateways.list(),
    }),
    async noteGateway(gateway) {
      gateways.note(gateway)
      return {}
    },
  })
}

/** Milliseconds between two probes. */
const probeEveryMs = 1_000

async function watchDatabase(
  context: ProcessContext<unknown>,
  health: HealthImplementation,
  probe: () => Promise<boolean>,
): Promise<void> {
  const up = new Gauge({
    name: `${metricPrefix}database_up`,
    help: 'Whether the database answered the last probe: 1 or 0.',
    registers: [context.registry],
  })
  let connected: boolean | undefined
  const look = async () => {
    const answers = await probe()
    up.set(answers ? 1 : 0)
    if (answers === connected) return
    connected = answers
    health.setStatus(databaseHealth, answers ? 'SERVING' : 'NOT_SERVING')
    if (answers) context.log.info('the database can be used')
    else context.log.warn('the database cannot be used')
  }
  await look()
  repeat(context, 'watching the database', probeEveryMs, look)
}

/** How long a start waits for what it needs of processes that start beside it, in milliseconds, and how often it looks. */
const startPatience = 3_000
const startLookEvery = 100

async function watchWork(
  context: ProcessContext<unknown>,
  health: HealthImplementation,
  probe: () => Promise<unknown>,
): Promise<void> {
  const look = async () => {
    try {
      await probe()
      health.setStatus(workHealth, 'SERVING')
    } catch (error) {
      health.setStatus(workHealth, 'NOT_SERVING')
      throw error
    }
  }
  const works = () =>
    look().then(
      () => true,
      () => false,
    )
  const end = performance.now() + startPatience
  while (!(await works()) && performance.now() < end && !context.stopping.aborted) await sleep(startLookEvery)
  repeat(context, 'trying whether requests can be answered', probeEveryMs, look)
}
