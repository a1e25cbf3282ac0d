import { readRedisUrl } from '@gatehouse/kit/config/server-url'
import { Type } from '@gatehouse/proto/typebox'
import type { Redis } from 'ioredis'
import { backendKind, needed, type OutgoingEvent, whereNamed } from '../envelopes/backend.ts'
import { type Connected, keepConnected } from './connection.ts'

/** The client library, loaded only when this backend connects. */
const library = () => import('ioredis')

/** In milliseconds. */
const connectTimeout = 5_000
/** A hanging connection is closed after this time. */
const disconnectTimeout = 100

/** Adds each event to a Redis stream, with a field for each attribute of the CloudEvent and one named `data`. */
export const redis = backendKind({
  name: 'redis',
  variables: {
    OAUTH2_EVENTS_REDIS_URL: Type.Optional(
      Type.String({
        pattern: '^rediss?://\\S+$',
        rule: 'a redis:// or rediss:// URL such as redis://:password@host:6379/0',
        defaultText: 'none; required by the backend redis',
        secret: true,
        description: 'The Redis that the backend redis adds events to.',
        check: whereNamed('redis', urlIn),
      }),
    ),
    OAUTH2_EVENTS_REDIS_STREAM: Type.String({
      default: 'gatehouse:events',
      minLength: 1,
      description: 'The key of the Redis stream.',
    }),
    OAUTH2_EVENTS_REDIS_MAXLEN: Type.Integer({
      default: 100_000,
      minimum: 1,
      rule: 'a whole number from 1 on',
      description: 'About how many events the Redis stream keeps; the oldest are deleted.',
    }),
  },
  open(config, { log }) {
    const url = urlIn(config)
    const stream = config.OAUTH2_EVENTS_REDIS_STREAM
    const length = config.OAUTH2_EVENTS_REDIS_MAXLEN
    const connection = keepConnected({ log, reasonOf, connect: () => connect(url) })
    const add = async (client: Redis, events: readonly OutgoingEvent[]) => {
      // One transaction, so that either all events of a batch are in the stream or none.
      const batch = client.multi()
      for (const { attributes, json } of events) {
        batch.xadd(stream, 'MAXLEN', '~', length, '*', ...Object.entries(attributes).flat(), 'data', json)
      }
      const failure = (await batch.exec())?.find(([error]) => error !== null)?.[0]
      // A Redis that is read-only has become a replica, and the same address now leads to its successor.
      if (failure?.message.startsWith('READONLY')) client.disconnect()
      if (failure) throw failure
      return events.length
    }
    return {
      ...connection,
      deliver: (events, signal) => connection.deliver(signal, (client) => add(client, events)),
    }
  },
})

function urlIn(config: { OAUTH2_EVENTS_REDIS_URL?: string }): string {
  const variable = 'OAUTH2_EVENTS_REDIS_URL'
  return readRedisUrl(variable, needed(config, variable, 'redis'))
}

async function connect(url: string): Promise<Connected<Redis>> {
  const { Redis } = await library()
  const client = new Redis(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    connectTimeout,
    disconnectTimeout,
    retryStrategy: () => null,
    connectionName: 'gatehouse-events',
  })
  let reason: unknown
  client.on('error', (error) => {
    reason = error
  })
  const lost = new Promise<string>((resolve) =>
    client.once('end', () => resolve(reason === undefined ? 'the connection is closed' : reasonOf(reason))),
  )
  // The client's own limit covers only the opening of the socket, which a hanging Redis may still accept.
  const timer = setTimeout(() => client.disconnect(), connectTimeout)
  try {
    await client.connect()
  } catch (error) {
    client.disconnect()
    throw reason ?? error
  } finally {
    clearTimeout(timer)
  }
  return {
    client,
    lost,
    async end() {
      client.disconnect()
      await lost
    },
    drop: () => client.disconnect(),
  }
}

/** Describes an error. Redis's message about an unknown command repeats its arguments, which are cut off. */
function reasonOf(error: unknown): string {
  const { message, code, name } = error as Error & { code?: string }
  return message.split(', with args', 1)[0] || code || name
}
