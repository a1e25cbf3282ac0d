import { randomBytes, randomInt } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { rootDirectory } from '@gatehouse/local/places'
import { addressVariables, type ServiceName, serviceNames } from '@gatehouse/local/services'
import { createDatabase } from './postgres/database.ts'
import { type Exit, type Replica, replicaPorts, startReplica } from './replica.ts'
import { type DnsServer, startDnsServer } from './servers/dns-server.ts'
import { startTcpBalancer } from './servers/tcp-balancer.ts'
import { type Requests, requestsTo } from './system.ts'

/** Whether clusters can run on this machine: they need every address of 127.0.0.0/8 to work without configuration. */
export const hasClusters = process.platform === 'linux'
if (!hasClusters) {
  const line = 'Several replicas need more loopback addresses than 127.0.0.1, which only Linux has'
  if (process.env.GATEHOUSE_TEST_FORBID_SKIP) throw new Error(line)
  console.log(`${line}: their tests are skipped.`)
}

/** The administrator of a cluster. */
export const clusterAdmin = { username: 'admin', password: 'the password of the tests’ administrator' }

/**
 * The services as separate processes, found as in Kubernetes: the name of a service resolves to the addresses of its replicas, and
 * connections to the public address go to the gateways in turn.
 */
export type Cluster = Requests & {
  databaseUrl: string
  dns: DnsServer
  /** The running replicas that the DNS server knows, in the order of their registration. */
  replicasOf(name: ServiceName): Replica[]
  /** Starts a replica and registers it when it is ready. */
  add(name: ServiceName, options?: AddOptions): Promise<Replica>
  /** Starts a replica again after it has ended, with the same address and variables. */
  restart(replica: Replica): Promise<Replica>
  /** Stops a replica. @returns how it ended */
  remove(replica: Replica, options?: RemoveOptions): Promise<Exit>
  stop(): Promise<void>
}

/** How one replica differs from the others. */
export type AddOptions = Partial<
  Pick<ReturnType<typeof startReplica>['options'], 'root' | 'address' | 'within'>
> & {
  variables?: Record<string, string>
}

/** The times of the steps in which a replica is stopped, in milliseconds from now. */
export type RemoveOptions = {
  /** When the DNS server forgets it; by default at once. */
  forgottenAfter?: number
  /** When it gets SIGTERM; by default at once. */
  stoppedAfter?: number
}

/** The parts of a cluster. */
export type ClusterOptions = {
  /** The number of replicas of each service; by default one. */
  replicas?: Partial<Record<ServiceName, number>>
  /** Variables for all services, besides those that all tests share. */
  variables?: Record<string, string>
  /** The checkout whose code runs; by default this one. */
  root?: string
  /** An existing database, which is kept; by default a new one with this release's tables. */
  databaseUrl?: string
}

/** The gRPC target of a service, whose name the cluster's DNS server resolves. */
const nameOf = (name: ServiceName) => `${name}.gatehouse.test`

/**
 * Starts a cluster and waits until it serves.
 * @throws Error with the log of the replica that does not start
 */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const started = new AsyncDisposableStack()
  try {
    return await start(options, started)
  } catch (error) {
    await started.disposeAsync()
    throw error
  }
}

async function start(options: ClusterOptions, started: AsyncDisposableStack): Promise<Cluster> {
  let { databaseUrl } = options
  if (databaseUrl === undefined) {
    const database = await createDatabase()
    started.defer(database.drop)
    databaseUrl = database.url
  }
  const directory = await mkdtemp(join(tmpdir(), 'gatehouse-cluster-'))
  started.defer(() => rm(directory, { recursive: true, force: true }))
  const { dns, nextAddress } = await claimAddresses()
  started.defer(dns.close)
  const balancer = await startTcpBalancer()
  started.defer(balancer.close)
  const baseUrl = `http://127.0.0.1:${balancer.port}`
  const target = (name: ServiceName) => `dns://${dns.authority}/${nameOf(name)}:${replicaPorts.grpc}`
  const shared: Record<string, string> = {
    // This resolver asks the DNS server in the target; gRPC's other one asks the system's, and reads /etc/hosts.
    GRPC_NODE_USE_ALTERNATIVE_RESOLVER: 'true',
    ...addressVariables(target),
    OAUTH2_GRPC_PLAINTEXT: 'true',
    OAUTH2_SERVER_PUBLIC_BASE_URL: baseUrl,
    OAUTH2_DATABASE_URL: databaseUrl,
    OAUTH2_JWT_SECRET: randomBytes(32).toString('base64url'),
    OAUTH2_SESSION_KEY: randomBytes(32).toString('base64url'),
    OAUTH2_SEED_USERNAME: clusterAdmin.username,
    OAUTH2_SEED_PASSWORD: clusterAdmin.password,
    OAUTH2_RATE_LIMIT_ENABLED: 'false',
    ...options.variables,
  }
  const found: Replica[] = []
  const all: Replica[] = []
  started.defer(() => endAll(all))

  function register(replica: Replica): void {
    found.push(replica)
    if (replica.name === 'gateway') balancer.add(replica.address, replicaPorts.http)
    else dns.add(nameOf(replica.name), replica.address)
  }
  function forget(replica: Replica): void {
    found.splice(found.indexOf(replica), 1)
    if (replica.name === 'gateway') balancer.remove(replica.address, replicaPorts.http)
    else dns.remove(nameOf(replica.name), replica.address)
  }
  async function launch(options: Replica['options']): Promise<Replica> {
    const replica = startReplica(options)
    all.push(replica)
    await replica.ready()
    register(replica)
    return replica
  }

  const cluster: Cluster = {
    ...requestsTo(baseUrl),
    databaseUrl,
    dns,
    replicasOf: (name) => found.filter((replica) => replica.name === name && replica.running),
    add(name, { variables = {}, ...rest } = {}) {
      const { root = options.root ?? rootDirectory, address = nextAddress(), within } = rest
      const logFile = join(directory, `${name}-${address}.log`)
      return launch({ name, root, address, within, logFile, variables: { ...shared, ...variables } })
    },
    restart(replica) {
      if (found.includes(replica)) forget(replica)
      return launch(replica.options)
    },
    async remove(replica, { forgottenAfter = 0, stoppedAfter = 0 } = {}) {
      const forgotten = sleep(forgottenAfter).then(() => forget(replica))
      await sleep(stoppedAfter)
      replica.kill('SIGTERM')
      const [exit] = await Promise.all([replica.ended, forgotten])
      return exit
    },
    stop: () => started.disposeAsync(),
  }
  const counts = serviceNames.flatMap(
    (name) => Array(options.replicas?.[name] ?? 1).fill(name) as ServiceName[],
  )
  await Promise.all(counts.map((name) => cluster.add(name)))
  return cluster
}

/** The gateways stop first, because they need the others for the requests that they have begun. */
async function endAll(replicas: Replica[]): Promise<void> {
  const end = async (some: Replica[]) => {
    const overdue = setTimeout(() => {
      for (const replica of some) replica.kill('SIGKILL')
    }, 6_000)
    for (const replica of some) {
      replica.kill('SIGTERM')
      // A suspended process gets SIGTERM only after SIGCONT.
      replica.kill('SIGCONT')
    }
    await Promise.all(some.map(({ ended }) => ended))
    clearTimeout(overdue)
  }
  await end(replicas.filter(({ name }) => name === 'gateway'))
  await end(replicas.filter(({ name }) => name !== 'gateway'))
}

/** Finds a network 127.x.y.0/24 that no other cluster on this machine uses: the port of its DNS server is free. */
async function claimAddresses(): Promise<{ dns: DnsServer; nextAddress(): string }> {
  for (;;) {
    const network = `127.${randomInt(10, 250)}.${randomInt(1, 255)}`
    const dns = await startDnsServer(`${network}.1`, 20_053).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') throw error
    })
    if (!dns) continue
    let last = 1
    return { dns, nextAddress: () => `${network}.${++last}` }
  }
}
