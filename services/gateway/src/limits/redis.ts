import type { Logger } from '@gatehouse/kit/log'
import { Redis } from 'ioredis'

/** In milliseconds: a request waits no longer than this to be counted. */
const commandTimeout = 250
const connectTimeout = 2_000
const longestRetryPause = 1_000

/**
 * Connects to Redis, and again whenever the connection is lost. Commands of the same turn share a round trip; none
 * waits for a connection.
 * @param url redis:// or rediss://
 */
export function openRedis(url: string, log: Logger): Redis {
  const redis = new Redis(url, {
    enableAutoPipelining: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout,
    connectTimeout,
    retryStrategy: (attempt) => Math.min(attempt * 100, longestRetryPause),
    connectionName: 'gatehouse-gateway',
  })
  let away = false
  // Once until it is back, however often it is tried; an error without a listener would be printed.
  redis.on('error', (error) => {
    if (!away) log.warn({ err: error }, 'Redis does not answer: each gateway counts rate limits by itself')
    away = true
  })
  redis.on('close', () => {
    if (!away) log.warn('the connection to Redis is lost: each gateway counts rate limits by itself')
    away = true
  })
  redis.on('ready', () => {
    if (away) log.info('Redis answers again')
    away = false
  })
  return redis
}
