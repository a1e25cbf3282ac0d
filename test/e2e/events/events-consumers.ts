import type { TestNats } from '@gatehouse/test/servers/nats'
import type { TestRabbit } from '@gatehouse/test/servers/rabbit'
import type { TestRedis } from '@gatehouse/test/servers/redis'
import { DeliverPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect as connectToNats } from '@nats-io/transport-node'
import { Consumer as KafkaConsumer, stringDeserializers } from '@platformatic/kafka'
import { connect as connectToRabbit } from 'amqplib'
import { Redis } from 'ioredis'

/** An event as a consumer receives it. */
export type ConsumedEvent = {
  id: string
  type: string
  producer: string
  key: string
  traceparent: string | undefined
  envelope: { event: { id: string; event_type: string; timestamp: string } }
}

/** A consumer of a broker, with the broker's own client library. */
export type Consumer = {
  /** The events since it began, in order. */
  events(): Promise<ConsumedEvent[]>
  close(): Promise<unknown>
}

/** Reads a stream of Redis from its beginning. */
export function consumeRedis({ url }: Pick<TestRedis, 'url'>): Consumer {
  const client = new Redis(url)
  client.on('error', () => undefined)
  return {
    async events() {
      const entries = await client.xrange('gatehouse:events', '-', '+')
      return entries.map(([, fields]) => {
        const pairs = fields.flatMap((name, index) => (index % 2 === 0 ? [[name, fields[index + 1]]] : []))
        const { data, ...attributes } = Object.fromEntries(pairs)
        return consumed(attributes, data)
      })
    },
    close: async () => client.disconnect(),
  }
}

/** Binds a new queue to the exchange and consumes events from then on. */
export async function consumeRabbit({ url }: Pick<TestRabbit, 'url'>): Promise<Consumer> {
  const connection = await connectToRabbit(url)
  const channel = await connection.createChannel()
  const exchange = 'gatehouse.events'
  await channel.assertExchange(exchange, 'topic', { durable: true })
  const { queue } = await channel.assertQueue('', { exclusive: true })
  await channel.bindQueue(queue, exchange, '#')
  const got: ConsumedEvent[] = []
  await channel.consume(queue, (message) => {
    if (message === null) return
    const { headers = {} } = message.properties
    got.push(consumed(headers as Record<string, string>, String(message.content)))
  })
  return { events: async () => got, close: () => connection.close() }
}

/** Reads a stream of NATS from its beginning. */
export async function consumeNats({ address: servers, user, pass }: TestNats): Promise<Consumer> {
  const connection = await connectToNats({ servers, user, pass })
  return {
    async events() {
      const manager = await jetstreamManager(connection)
      const stream = await manager.streams.find('gatehouse.events.>')
      const { messages } = (await manager.streams.info(stream)).state
      const consumer = await jetstream(connection).consumers.get(stream, {
        deliver_policy: DeliverPolicy.All,
      })
      const got: ConsumedEvent[] = []
      for await (const message of messages === 0 ? [] : await consumer.consume()) {
        const names = message.headers?.keys() ?? []
        const headers = names.map((name) => [name, decodeURIComponent(message.headers?.get(name) ?? '')])
        got.push(consumed(Object.fromEntries(headers), message.string()))
        if (got.length === messages) break
      }
      return got
    },
    close: () => connection.close(),
  }
}

/** Reads a topic of Kafka from its beginning. */
export async function consumeKafka(broker: string): Promise<Consumer> {
  const consumer = new KafkaConsumer({
    clientId: 'tests',
    groupId: 'tests',
    bootstrapBrokers: [broker],
    deserializers: stringDeserializers,
  })
  const got: ConsumedEvent[] = []
  const stream = await consumer.consume({ topics: ['gatehouse.events'], mode: 'earliest', autocommit: true })
  stream.on('data', ({ headers, key, value }) => {
    const event = consumed(Object.fromEntries(headers) as Record<string, string>, value)
    got.push({ ...event, key })
  })
  return { events: async () => got, close: () => consumer.close(true) }
}

const prefix = /^(ce[-_]|cloudEvents_)/

function consumed(headers: Record<string, string>, body = ''): ConsumedEvent {
  const named = Object.entries(headers).map(([name, value]) => [name.replace(prefix, ''), value])
  const { id = '', type = '', producer = '', partitionkey: key = '', traceparent } = Object.fromEntries(named)
  return { id, type, producer, key, traceparent, envelope: JSON.parse(body) }
}
