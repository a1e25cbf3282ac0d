import type { Logger } from '@gatehouse/kit/log'
import { readRedisUrl } from '@gatehouse/kit/server-url'
import { Redis } from 'ioredis'
import type { SharedCounters } from './rate-limiter.ts'

/** In milliseconds: a request waits no longer than this to be counted. */
const commandTimeout = 500
/** A connection that hangs is given up after this; meanwhile what was sent on it keeps waiting. */
const disconnectTimeout = 50
const connectTimeout = 2_000
const longestRetryPause = 1_000

/**
 * Connects to Redis, and again whenever the connection is lost. Commands of the same turn share a round trip; none
 * waits for a connection. What goes wrong is logged once, until Redis has counted again.
 * @param url of OAUTH2_REDIS_URL
 * @throws ConfigurationError when the URL is none
 */
export function openRedis(url: string, log: Logger): SharedCounters {
  const client = new Redis(readRedisUrl('OAUTH2_REDIS_URL', url), {
    enableAutoPipelining: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout,
    disconnectTimeout,
    connectTimeout,
    retryStrategy: (attempt) => Math.min(attempt * 100, longestRetryPause),
    connectionName: 'gatehouse-gateway',
  })
  let away = false
  let leaving = false
  function lost(reason: string): void {
    if (!away) log.warn({ reason }, 'Redis does not answer: each gateway counts rate limits by itself')
    away = true
  }
  // Without a listener ioredis would print the error.
  client.on('error', (error) => lost(describe(error)))
  client.on('close', () => {
    leaving = false
    // At the end of the process it is we who close it.
    if (client.status !== 'end') lost('the connection is closed')
  })

  return {
    client,
    answered() {
      if (away) log.info('Redis answers again')
      away = false
    },
    failed(error) {
      // An event tells, or has told, what is the matter with a connection that takes nothing.
      if (client.status !== 'ready' || leaving || /^Stream isn't writeable/.test(error.message)) return
      lost(describe(error))
      // A Redis that hangs would keep every request waiting; a new connection is not used before it has answered. One
      // that is a replica now has a successor at the same address.
      leaving = /^(Command timed out|READONLY)/.test(error.message)
      if (leaving) client.disconnect(true)
    },
  }
}

/**
 * What happened, for the log. Never the error itself: ioredis hangs the command on it, and that of the handshake has
 * the password; so has Redis' own text about a command that it does not know.
 */
function describe(error: Error & { code?: string }): string {
  const [message = ''] = error.message.split(', with args', 1)
  return message || error.code || error.name
}
