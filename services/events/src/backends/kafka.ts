import { isIP } from 'node:net'
import { ConfigurationError } from '@gatehouse/kit/config/config'
import { hostAndPort, readHostAndPort } from '@gatehouse/kit/host'
import { type Static, type TObject, Type } from '@gatehouse/proto/typebox'
import type { Producer, ProducerOptions } from '@platformatic/kafka'
import { backendKind, needed, type OutgoingEvent, whereNamed } from '../envelopes/backend.ts'
import { type Connected, keepConnected } from './connection.ts'

/** The client library. It is slow to load, so it is loaded only when this backend connects. */
const library = () => import('@platformatic/kafka')

type StringProducer = Producer<string, string, string, string>
type Message = ReturnType<typeof messageOf>

/** In milliseconds. */
const connectTimeout = 5_000
const requestTimeout = 5_000
/** While another broker takes over, the batch is sent again. The producer is idempotent, so this makes no duplicates. */
const retries = 5
const retryDelay = 200
/** The largest batch, in bytes; by default a broker takes 1 MiB. */
const mostBytes = 512 * 1_024

const variables = {
  OAUTH2_EVENTS_KAFKA_BROKERS: Type.Optional(
    Type.String({
      pattern: '^[^\\s,/@]+:\\d{1,5}( *, *[^\\s,/@]+:\\d{1,5})*$',
      rule: 'one or more of host:port, such as kafka:9092 or [fd00::1]:9092, separated by commas',
      defaultText: 'none; required by the backend kafka',
      description: 'The Kafka brokers that the backend kafka connects to first.',
      check: whereNamed('kafka', brokersIn),
    }),
  ),
  OAUTH2_EVENTS_KAFKA_TOPIC: Type.String({
    default: 'gatehouse.events',
    pattern: '^[\\w.-]{1,249}$',
    rule: 'the name of a topic: up to 249 letters, digits, dots, underscores and hyphens',
    description: 'The Kafka topic for events.',
  }),
  OAUTH2_EVENTS_KAFKA_TLS: Type.Boolean({
    default: false,
    rule: 'true or false',
    description:
      'Whether to connect to the Kafka brokers with TLS. NODE_EXTRA_CA_CERTS adds private certificate authorities.',
  }),
  OAUTH2_EVENTS_KAFKA_USERNAME: Type.Optional(
    Type.String({
      description: 'The user name for the Kafka brokers, if they require one (SASL).',
      check: whereNamed('kafka', credentialsIn),
    }),
  ),
  OAUTH2_EVENTS_KAFKA_PASSWORD: Type.Optional(
    Type.String({ secret: true, description: 'The password for the Kafka brokers.' }),
  ),
  OAUTH2_EVENTS_KAFKA_SASL_MECHANISM: Type.Enum(['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'], {
    default: 'PLAIN',
    rule: 'one of PLAIN, SCRAM-SHA-256, SCRAM-SHA-512',
    description: 'The SASL mechanism for the user name and the password.',
  }),
}

/** Sends each event to a Kafka topic, in the binary content mode of CloudEvents' Kafka binding. */
export const kafka = backendKind({
  name: 'kafka',
  variables,
  open(config, { log, refused }) {
    const topic = config.OAUTH2_EVENTS_KAFKA_TOPIC
    const options = producerOptions(config)
    const closing = new AbortController()
    const connection = keepConnected({
      log,
      reasonOf,
      connect: () => connect(options, topic, closing.signal),
    })

    const send = async (producer: StringProducer, events: readonly OutgoingEvent[]): Promise<number> => {
      const messages = firstBatch(events.map((event) => messageOf(event, topic)))
      try {
        await producer.send({ messages })
        return messages.length
      } catch (error) {
        const { findErrorBy } = await library()
        if (!findErrorBy(error as Error, 'apiId', 'MESSAGE_TOO_LARGE')) throw error
        const [event] = events
        if (messages.length > 1) return send(producer, events.slice(0, Math.ceil(messages.length / 2)))
        if (event) refused(event, 'it is larger than the topic allows')
        return 1
      }
    }
    return {
      ...connection,
      deliver: (events, signal) => connection.deliver(signal, (producer) => send(producer, events)),
      async close() {
        closing.abort()
        await connection.close()
      },
    }
  },
})

/** @throws ConfigurationError where one is not host:port, which the schema alone cannot say */
function brokersIn(config: { OAUTH2_EVENTS_KAFKA_BROKERS?: string }) {
  const brokers = needed(config, 'OAUTH2_EVENTS_KAFKA_BROKERS', 'kafka')
  return brokers.split(',').map((text) => {
    const broker = readHostAndPort(text.trim())
    if (broker) return broker
    throw new ConfigurationError(
      `OAUTH2_EVENTS_KAFKA_BROKERS must be one or more of host:port, such as kafka:9092 or [fd00::1]:9092; one is "${text.trim()}"`,
    )
  })
}

function credentialsIn(config: {
  OAUTH2_EVENTS_KAFKA_USERNAME?: string
  OAUTH2_EVENTS_KAFKA_PASSWORD?: string
}) {
  const { OAUTH2_EVENTS_KAFKA_USERNAME: username, OAUTH2_EVENTS_KAFKA_PASSWORD: password } = config
  if (username === undefined && password === undefined) return undefined
  if (username !== undefined && password !== undefined) return { username, password }
  throw new ConfigurationError(
    'OAUTH2_EVENTS_KAFKA_USERNAME and OAUTH2_EVENTS_KAFKA_PASSWORD must be set together',
  )
}

function producerOptions(config: Static<TObject<typeof variables>>) {
  const brokers = brokersIn(config)
  const credentials = credentialsIn(config)
  return {
    clientId: 'gatehouse-events',
    bootstrapBrokers: brokers.map(({ host, port }) => hostAndPort(host, port)),
    connectTimeout,
    requestTimeout,
    retries,
    retryDelay,
    ...(config.OAUTH2_EVENTS_KAFKA_TLS && {
      tls: {},
      // TLS does not allow an IP address as a server name (RFC 6066 section 3).
      tlsServerName: !brokers.some(({ host }) => isIP(host) !== 0),
    }),
    ...(credentials && {
      sasl: { mechanism: config.OAUTH2_EVENTS_KAFKA_SASL_MECHANISM, ...credentials },
    }),
  } satisfies ProducerOptions<string, string, string, string>
}

async function connect(
  options: ReturnType<typeof producerOptions>,
  topic: string,
  closing: AbortSignal,
): Promise<Connected<StringProducer>> {
  const { compatibilityPartitioner, ProduceAcks, Producer, stringSerializers } = await library()
  const producer = new Producer({
    ...options,
    idempotent: true,
    acks: ProduceAcks.ALL,
    autocreateTopics: true,
    serializers: stringSerializers,
    // The same partitioner as in Kafka's own clients, so that a key always has the same partition.
    partitioner: compatibilityPartitioner,
  })
  const lost = Promise.withResolvers<string>()
  const end = async () => {
    // A connection that is lost may fail to close, which says nothing new: its caller logs the reason why it ends.
    await producer.close().catch(() => undefined)
    lost.resolve('the connection is closed')
  }
  const drop = () => {
    const sockets = [...producer.connections].map(([, { socket }]) => socket)
    void end()
    for (const socket of sockets) socket?.destroy()
  }
  closing.addEventListener('abort', drop, { once: true })
  try {
    // With retries: a topic that brokers create on request does not exist at once.
    await producer.metadata({ topics: [topic], retries: 2 })
    await producer.initIdempotentProducer({})
  } catch (error) {
    await end()
    throw error
  } finally {
    closing.removeEventListener('abort', drop)
  }
  const look = async () => {
    if (producer.closed) return
    try {
      await producer.metadata({ topics: [topic], forceUpdate: true, retries: 0 })
    } catch (error) {
      lost.resolve(reasonOf(error))
      await end()
    }
  }
  // One of several brokers may stop, and idle connections are closed. The connection is lost only if the topic's leader
  // cannot be found. Not checked at once: until this event is handled, the client would wait for the closed connection.
  producer.on('client:broker:disconnect', () => setImmediate(look))
  return { client: producer, lost: lost.promise, end, drop }
}

/** A message in binary content mode (CloudEvents' Kafka binding 1.0 section 3.2). */
function messageOf({ attributes, json }: OutgoingEvent, topic: string) {
  const { datacontenttype = 'application/json', ...others } = attributes
  const { partitionkey = '', traceparent, tracestate } = attributes
  return {
    topic,
    key: partitionkey,
    value: json,
    headers: {
      ...Object.fromEntries(Object.entries(others).map(([name, value]) => [`ce_${name}`, value])),
      'content-type': datacontenttype,
      ...(traceparent !== undefined && { traceparent }),
      ...(tracestate !== undefined && { tracestate }),
    },
  }
}

/** The first messages that fit into one batch; at least one. */
function firstBatch(messages: readonly Message[]): Message[] {
  let bytes = 0
  const end = messages.findIndex(({ key, value, headers }, index) => {
    for (const text of [key, value, ...Object.entries(headers).flat()]) bytes += Buffer.byteLength(text) + 8
    return index > 0 && bytes > mostBytes
  })
  return messages.slice(0, end === -1 ? messages.length : end)
}

/** The message of the innermost error; the outer ones say only that something failed. */
function reasonOf(error: unknown): string {
  const { errors, cause, message, name } = error as Error & { errors?: unknown[] }
  const inner = errors?.at(-1) ?? cause
  return inner === undefined ? message || name : reasonOf(inner)
}
