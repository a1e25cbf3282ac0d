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
import { hasNats } from '@gatehouse/test/servers/nats'
import { hasRedis, startRedis, type TestRedis } from '@gatehouse/test/servers/redis'
import { SetupFailure } from '../failure.ts'
import type { Replica } from '../history/replica.ts'
import { type Plant, plantVariables } from '../plants/plants.ts'
import { type Broker, startBroker } from './broker.ts'
import { type Clocks, createClocks } from './clocks.ts'
import { type Consumers, startConsumers } from './consumers.ts'
import { createLinks, type Link } from './links.ts'

/** Two replicas of each process. `b` is not stopped or killed for most of a run, so that its memory can be measured. */
export const replicas = ['a', 'b'] as const satisfies Replica[]

/** The processes to which each process connects. */
const needs = {
  gateway: ['token', 'client-registry', 'identity', 'events', 'redis'],
  token: ['client-registry', 'identity', 'events', 'postgresql'],
  'client-registry': ['token', 'events', 'postgresql'],
  identity: ['token', 'events', 'postgresql'],
  events: ['postgresql', 'nats'],
} as const satisfies Record<ServiceName, readonly string[]>

/** A process of the system. */
export type Member = RunningService & { service: ServiceName; replica: Replica; internalPort: number }

/** A real system of ten processes, its PostgreSQL, its Redis, its NATS, and the connections between them. */
export type World = {
  members: Member[]
  links: readonly Link[]
  clocks: Clocks
  consumers: Consumers
  /** The gateways' addresses. */
  gateways: Record<Replica, string>
  /** The issuer on both gateways. */
  publicUrl: string
  postgres: Postgres
  redis: TestRedis
  nats: Broker
  /** Holds logs/ and memory/. */
  directory: string
  /** Values that must be in no log. */
  secrets: string[]
  adminPassword: string
  accessTokenTtl: number
}

export const adminName = 'admin'
/** How often a client may use the token endpoint a minute: only the greedy worker exceeds it. */
export const tokenLimit = 1_200
/**
 * Starts the system with a new database.
 * @param options.stack gets the functions that stop everything and delete the data
 * @param options.onCrash called for each process that ended, for any reason
 * @param options.plant a defect that the run must find
 * @param options.accessTokenTtl in seconds
 */
export async function startWorld(options: {
  accessTokenTtl: number
  plant?: Plant | undefined
  keep: boolean
  stack: AsyncDisposableStack
  tell: (line: string) => void
  onCrash: (name: string) => void
  signal: AbortSignal
}): Promise<World> {
  const { stack, tell, signal, onCrash, plant, accessTokenTtl } = options
  if (!hasRedis) throw new SetupFailure('redis-server is missing (Debian: redis-server)')
  if (!hasNats) throw new SetupFailure('nats-server is missing (Debian: nats-server)')
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
  await migrateDatabase({ OAUTH2_DATABASE_URL: postgres.url }, tell)
  const nats = await startBroker({ stack, forgetful: plant?.forgetfulBroker === true })
  const consumers = await startConsumers(stack)
  const links = createLinks(stack)
  const clocks = createClocks(join(directory, 'clocks'))
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
  const values = {
    ...own,
    OAUTH2_SEED_USERNAME: adminName,
    OAUTH2_SERVER_HOST: '127.0.0.1',
    OAUTH2_SERVER_PUBLIC_BASE_URL: publicUrl,
    OAUTH2_SERVER_TRUST_PROXY_HEADERS: 'true',
    OAUTH2_REFRESH_TOKEN_ENABLED: 'true',
    OAUTH2_ACCESS_TOKEN_TTL: String(accessTokenTtl),
    OAUTH2_RATE_LIMIT_TOKEN: String(tokenLimit),
    OAUTH2_RATE_LIMIT_AUTHORIZE: '100000',
    OAUTH2_RATE_LIMIT_INTROSPECT: '1000000',
    OAUTH2_RATE_LIMIT_OTHER: '100000',
    OAUTH2_EVENTS_ENABLED: 'true',
    OAUTH2_EVENTS_BACKEND: 'nats,in_memory',
    OAUTH2_OPENID_ENABLED: 'true',
    OAUTH2_ACCESS_TOKEN_ALGORITHM: 'ES256',
    OAUTH2_ID_TOKEN_ALGORITHMS: 'ES256 RS256',
    OAUTH2_SCOPES_SUPPORTED: 'read write profile email',
    OAUTH2_FETCH_ALLOWED_NETWORKS: '127.0.0.0/8',
    OAUTH2_SMTP_URL: consumers.mailUrl,
    OAUTH2_MAIL_FROM: 'gatehouse@example.com',
    OAUTH2_GRPC_HOST: '127.0.0.1',
    OAUTH2_INTERNAL_HOST: '127.0.0.1',
    NODE_COMPILE_CACHE: compileCache,
    GATEHOUSE_PROOF_MEMORY: join(directory, 'memory'),
    ...plantVariables(plant),
  }
  /** Where a process finds what it needs: each by links of its own, which no other process shares. */
  const addressesFor = async (caller: ServiceName, name: string) => {
    const link = async (server: string, port: number) =>
      (needs[caller] as readonly string[]).includes(server.replace(/-[ab]$/, ''))
        ? links.add(name, server, port)
        : port
    const targets = new Map<ServiceName, string>()
    for (const service of serviceNames) {
      const ports = await Promise.all(
        replicas.map((replica) => link(`${service}-${replica}`, portOf(service, replica, 0))),
      )
      targets.set(service, `ipv4:${ports.map((port) => `127.0.0.1:${port}`).join(',')}`)
    }
    const at = async (server: string, url: string) => {
      const own = new URL(url)
      own.port = String(await link(server, Number(own.port)))
      return own.href
    }
    return {
      ...addressVariables((service) => targets.get(service) ?? ''),
      OAUTH2_DATABASE_URL: await at('postgresql', postgres.url),
      OAUTH2_REDIS_URL: await at('redis', redis.url),
      OAUTH2_EVENTS_NATS_URL: await at('nats', `nats://${nats.user}:${nats.pass}@${nats.address}`),
    }
  }
  const { PATH, HOME } = process.env
  const start = async (service: ServiceName, replica: Replica): Promise<Member> => {
    const name = `${service}-${replica}`
    const addresses = await addressesFor(service, name)
    const running = runService({
      name,
      entry: entryOf(service),
      nodeFlags: [
        ...nodeFlags[service],
        '--expose-gc',
        ...['./collector.ts', '../plants/hook.ts'].flatMap((file) => ['--import', import.meta.resolve(file)]),
      ],
      environment: environmentOf(
        service,
        { PATH, HOME },
        {
          ...values,
          ...addresses,
          ...clocks.variablesOf(name),
          GATEHOUSE_PROOF_NAME: name,
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
  const members = await Promise.all(
    serviceNames.flatMap((service) => replicas.map((replica) => start(service, replica))),
  )
  stack.defer(() => stopMembers(members))
  await Promise.all(members.map(({ ready }) => ready))
  return {
    members,
    links: links.all,
    clocks,
    consumers,
    nats,
    gateways: { a: publicUrl, b: `http://127.0.0.1:${gatewayPorts[1]}` },
    publicUrl,
    postgres,
    redis,
    directory,
    secrets: [...Object.values(own), redisPassword, decodeURIComponent(new URL(postgres.url).password)],
    adminPassword: own.OAUTH2_SEED_PASSWORD,
    accessTokenTtl,
  }
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
