import { readRedisServers } from '@gatehouse/kit/config/redis-servers'
import { Cluster, Redis } from 'ioredis'

/** A client of one Redis, of the primary that sentinels name, or of a cluster. */
export type RedisClient = Redis | Cluster

/** In milliseconds: the longest that a request waits to be counted. */
const commandTimeout = 500
/** A hanging connection is closed after this time; the commands sent on it wait until then. */
const disconnectTimeout = 50
const connectTimeout = 2_000
const longestRetryPause = 1_000

const retryStrategy = (attempt: number) => Math.min(attempt * 100, longestRetryPause)

const ofConnections = {
  maxRetriesPerRequest: 0,
  commandTimeout,
  disconnectTimeout,
  connectTimeout,
  connectionName: 'gatehouse-gateway',
}

const alone = { ...ofConnections, retryStrategy, enableAutoPipelining: true, enableOfflineQueue: false }

/**
 * Connects to Redis, and reconnects whenever the connection is lost. Commands of the same turn of the event loop share a round trip
 * to a server; none waits for a connection.
 * @param url the value of OAUTH2_REDIS_URL
 * @throws ConfigurationError when the URL is invalid
 */
export function connectRedis(url: string): RedisClient {
  const servers = readRedisServers('OAUTH2_REDIS_URL', url)
  if (servers.kind === 'single') return new Redis(servers.url, alone)
  const { nodes, login, tls } = servers
  const encryption = tls ? { tls: {} } : {}
  if (servers.kind === 'sentinel') {
    return new Redis({
      ...alone,
      ...login,
      ...encryption,
      sentinels: nodes,
      name: servers.name,
      db: servers.database,
      ...(servers.sentinelLogin.username && { sentinelUsername: servers.sentinelLogin.username }),
      ...(servers.sentinelLogin.password && { sentinelPassword: servers.sentinelLogin.password }),
      enableTLSForSentinelMode: tls,
      ...(tls && { sentinelTLS: {} }),
      sentinelCommandTimeout: commandTimeout,
      sentinelRetryStrategy: retryStrategy,
    })
  }
  return new Cluster(nodes, {
    redisOptions: { ...ofConnections, ...login, ...encryption },
    clusterRetryStrategy: retryStrategy,
    enableAutoPipelining: true,
    enableOfflineQueue: false,
    // A node that moved or is away is asked for once more; then the request is counted in the gateway.
    maxRedirections: 2,
    slotsRefreshInterval: 5_000,
    // The nodes' names stay, since certificates hold them.
    dnsLookup: (name, callback) => callback(null, name),
  })
}

/**
 * Makes the next connection of a client log in as a changed URL says. Where it leads stays.
 * @throws ConfigurationError when the URL is invalid
 */
export function renewLogin(client: Redis, url: string): void {
  const servers = readRedisServers('OAUTH2_REDIS_URL', url)
  const { username, password } = servers.kind === 'single' ? loginIn(servers.url) : servers.login
  Object.assign(client.options, { username, password })
}

function loginIn(url: string): { username: string; password: string } {
  const { username, password } = new URL(url)
  return { username: decodeURIComponent(username), password: decodeURIComponent(password) }
}
