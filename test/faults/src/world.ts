import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { migrateDatabase } from '@gatehouse/local/database'
import { compileCache } from '@gatehouse/local/places'
import { reservePorts } from '@gatehouse/local/ports'
import { type Postgres, startPostgres } from '@gatehouse/local/postgres'
import { type RunningService, runService } from '@gatehouse/local/processes'
import {
  addressVariables,
  entryOf,
  environmentOf,
  nodeFlags,
  type ServiceName,
  serviceNames,
} from '@gatehouse/local/services'
import { hasRedis, startRedis, type TestRedis } from '@gatehouse/test/redis'
import { startTcpProxy, type TcpProxy } from '@gatehouse/test/tcp-proxy'
import { ProofFailure } from './failure.ts'

/** Two replicas of each process. `b` is not stopped or killed for most of a run, so that its memory can be measured. */
export const replicas = ['a', 'b'] as const
export type Replica = (typeof replicas)[number]

/** A process of the system. */
export type Member = RunningService & { service: ServiceName; replica: Replica; internalPort: number }

/** A real system of ten processes, its PostgreSQL and its Redis. */
export type World = {
  members: Member[]
  /** The gateways' addresses. */
  gateways: Record<Replica, string>
  /** The issuer on both gateways. */
  publicUrl: string
  postgres: Postgres
  redis: TestRedis
  /** The ways of the replicas b to PostgreSQL and Redis. */
  links: { postgresql: TcpProxy; redis: TcpProxy }
  /** Holds logs/ and memory/. */
  directory: string
  /** Values that must be in no log. */
  secrets: string[]
  adminPassword: string
  accessTokenTtl: number
}

export const adminName = 'admin'
/** The limit of a client's requests to the token endpoint a minute: only the greedy worker exceeds it. */
export const tokenLimit = 1_200

/**
 * Starts the system with a new database.
 * @param options.stack gets the functions that stop everything and delete the data
 * @param options.onCrash called for each process that ended, for any reason
 */
export async function startWorld(options: {
  minutes: number
  keep: boolean
  /** The name of a fault that is planted. */
  plant: string | undefined
  stack: AsyncDisposableStack
  tell: (line: string) => void
  onCrash: (name: string) => void
  signal: AbortSignal
}): Promise<World> {
  const { stack, tell, signal, onCrash } = options
  if (!hasRedis) throw new ProofFailure('redis-server is missing (Debian: redis-server)')
  const directory = await mkdtemp(join(tmpdir(), 'gatehouse-proof-'))
  stack.defer(async () => {
    if (options.keep) tell(`data and logs are left in ${directory}`)
    else await rm(directory, { recursive: true, force: true, maxRetries: 5 })
  })
  for (const name of ['logs', 'memory', 'redis']) mkdirSync(join(directory, name))
  const redisPassword = randomBytes(24).toString('base64url')
  const redis = await startRedis({
    requirepass: redisPassword,
    dir: join(directory, 'redis'),
    appendonly: 'yes',
    appendfsync: 'always',
  })
  stack.defer(() => redis.kill())
  const postgres = await startPostgres({ dataDirectory: directory, log: () => undefined, signal })
  stack.defer(async () => {
    await postgres.stop()
    // When run as root, it may be in another directory, which must be deleted as well.
    const place = dirname(postgres.home)
    if (/^gatehouse-[0-9a-f]{12}$/.test(basename(place))) await rm(place, { recursive: true, force: true })
  })
  await migrateDatabase(postgres.url, tell)
  const links = {
    postgresql: await startTcpProxy('127.0.0.1', Number(new URL(postgres.url).port)),
    redis: await startTcpProxy('127.0.0.1', redis.port),
  }
  for (const link of Object.values(links)) stack.defer(() => link.close())
  const overLinks = {
    OAUTH2_DATABASE_URL: atPort(postgres.url, links.postgresql.port),
    OAUTH2_REDIS_URL: atPort(redis.url, links.redis.port),
    OAUTH2_EVENTS_REDIS_URL: atPort(redis.url, links.redis.port),
  }
  // Long enough to revoke tokens and find them inactive, and short enough for half of them to have expired at the end.
  const accessTokenTtl = Math.max(300, Math.round(options.minutes * 30))
  const secret = () => randomBytes(32).toString('base64url')
  const own = {
    OAUTH2_JWT_SECRET: secret(),
    OAUTH2_SESSION_KEY: secret(),
    OAUTH2_SEED_PASSWORD: secret(),
  }
  const ports = [await reservePorts(10), await reservePorts(12)] as const
  for (const { release } of ports) stack.defer(release)
  const gatewayPorts = ports[1].ports.slice(10) as [number, number]
  const publicUrl = `http://127.0.0.1:${gatewayPorts[0]}`
  const portOf = (service: ServiceName, replica: Replica, offset: 0 | 1) =>
    ports[replicas.indexOf(replica)]?.ports[serviceNames.indexOf(service) * 2 + offset] as number
  // Both replicas of a service serve both gateways.
  const address = (service: ServiceName) =>
    `ipv4:${replicas.map((replica) => `127.0.0.1:${portOf(service, replica, 0)}`).join(',')}`
  const values = {
    ...own,
    OAUTH2_SEED_USERNAME: adminName,
    OAUTH2_DATABASE_URL: postgres.url,
    OAUTH2_REDIS_URL: redis.url,
    OAUTH2_SERVER_HOST: '127.0.0.1',
    OAUTH2_SERVER_PUBLIC_BASE_URL: publicUrl,
    OAUTH2_SERVER_TRUST_PROXY_HEADERS: 'true',
    OAUTH2_REFRESH_TOKEN_ENABLED: 'true',
    OAUTH2_ACCESS_TOKEN_TTL: String(accessTokenTtl),
    OAUTH2_ACCESS_TOKEN_ALGORITHM: 'ES256',
    OAUTH2_RATE_LIMIT_TOKEN: String(tokenLimit),
    OAUTH2_RATE_LIMIT_AUTHORIZE: '100000',
    OAUTH2_RATE_LIMIT_INTROSPECT: '1000000',
    OAUTH2_RATE_LIMIT_OTHER: '100000',
    OAUTH2_EVENTS_ENABLED: 'true',
    OAUTH2_EVENTS_BACKEND: 'redis,in_memory',
    OAUTH2_EVENTS_REDIS_URL: redis.url,
    OAUTH2_EVENTS_REDIS_MAXLEN: '5000000',
    ...addressVariables(address),
    OAUTH2_GRPC_HOST: '127.0.0.1',
    OAUTH2_INTERNAL_HOST: '127.0.0.1',
    NODE_COMPILE_CACHE: compileCache,
    GATEHOUSE_PROOF_MEMORY: join(directory, 'memory'),
  }
  const { PATH, HOME } = process.env
  const hooks = ['./collector.ts', ...(options.plant === undefined ? [] : ['./plant-hook.ts'])]
  const imported = hooks.flatMap((hook) => ['--import', import.meta.resolve(hook)])
  const start = (service: ServiceName, replica: Replica): Member => {
    const name = `${service}-${replica}`
    const running = runService({
      name,
      entry: entryOf(service),
      nodeFlags: [...nodeFlags[service], '--expose-gc', ...imported],
      environment: environmentOf(
        service,
        { PATH, HOME },
        {
          ...values,
          ...(replica === 'b' && overLinks),
          GATEHOUSE_PROOF_NAME: name,
          ...(options.plant && { GATEHOUSE_PROOF_PLANT: options.plant }),
          OAUTH2_SERVER_PORT: String(gatewayPorts[replicas.indexOf(replica)]),
          OAUTH2_GRPC_PORT: String(portOf(service, replica, 0)),
          OAUTH2_INTERNAL_PORT: String(portOf(service, replica, 1)),
        },
      ),
      logFile: join(directory, 'logs', `${name}.log`),
      log: () => undefined,
      onCrash: () => onCrash(name),
      beforeRestart: () => postgres.accepting(),
      // Long, because ten processes compile at once.
      startTimeout: 120_000,
    })
    // `running` has a getter, which a spread would evaluate only once.
    return Object.assign(running, { service, replica, internalPort: portOf(service, replica, 1) })
  }
  const members = serviceNames.flatMap((service) => replicas.map((replica) => start(service, replica)))
  stack.defer(() => stopMembers(members))
  await Promise.all(members.map(({ ready }) => ready))
  return {
    members,
    gateways: { a: publicUrl, b: `http://127.0.0.1:${gatewayPorts[1]}` },
    publicUrl,
    postgres,
    redis,
    links,
    directory,
    secrets: [...Object.values(own), redisPassword, decodeURIComponent(new URL(postgres.url).password)],
    adminPassword: own.OAUTH2_SEED_PASSWORD,
    accessTokenTtl,
  }
}

function atPort(url: string, port: number): string {
  const other = new URL(url)
  other.port = String(port)
  return other.href
}

/** Stops the gateways first, because they need the others for their open requests. */
async function stopMembers(members: readonly Member[]): Promise<void> {
  const overdue = setTimeout(() => {
    for (const member of members) member.destroy()
  }, 8_000)
  // A suspended process does not handle SIGTERM until it continues.
  for (const member of members) member.kill('SIGCONT')
  const gateways = members.filter(({ service }) => service === 'gateway').map((member) => member.stop())
  await Promise.race([Promise.all(gateways), sleep(4_000)])
  await Promise.all(members.map((member) => member.stop()))
  clearTimeout(overdue)
}
