import type { Logger } from '@gatehouse/kit/telemetry/log'
import { Redis } from 'ioredis'
import type { SharedCounters } from './rate-limiter.ts'
import { connectRedis, renewLogin } from './redis-client.ts'

/** The counters in Redis. */
type OpenRedis = SharedCounters & {
  /** Makes the next connection log in as a changed URL says; absent for a cluster, whose connections have copies of its login. */
  renewLogin?: (url: string) => void
}

/**
 * Opens the counters in Redis. A failure is logged once, until Redis has counted again.
 * @param url the value of OAUTH2_REDIS_URL
 * @throws ConfigurationError when the URL is invalid
 */
export function openRedis(url: string, log: Logger): OpenRedis {
  const client = connectRedis(url)
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
    // When the process stops, it closes the connection itself.
    if (client.status !== 'end') lost('the connection is closed')
  })

  return {
    client,
    ...(client instanceof Redis && { renewLogin: (changed) => renewLogin(client, changed) }),
    answered() {
      if (away) log.info('Redis answers again')
      away = false
    },
    failed(error) {
      // When the connection itself is lost, its events report why.
      if (client.status !== 'ready' || leaving || /^Stream isn't writeable/.test(error.message)) return
      lost(describe(error))
      // A Redis that hangs would make every request wait, while a new connection is used only after it has answered. A
      // Redis that is read-only has become a replica, and the same address now leads to its successor.
      leaving = /^(Command timed out|READONLY)/.test(error.message)
      if (leaving) client.disconnect(true)
    },
  }
}

/**
 * Describes an error for the log. The error itself is never logged: ioredis attaches the command to it, and the handshake's
 * command contains the password. Redis's message about an unknown command contains its arguments, too.
 */
function describe(error: Error & { code?: string }): string {
  const [message = ''] = error.message.split(', with args', 1)
  return message || error.code || error.name
}
