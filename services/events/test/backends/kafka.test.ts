import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { loadConfig } from '@gatehouse/kit/config/load-config'
import { recordedLog } from '@gatehouse/kit/testing/recorded-log'
import { Type } from '@gatehouse/proto/typebox'
import { prepareKafka, type TestKafka } from '@gatehouse/test/servers/kafka/broker'
import { kafkaPrograms } from '@gatehouse/test/servers/kafka/programs'
import { Admin, Consumer, type Message, stringDeserializers } from '@platformatic/kafka'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { kafka } from '../../src/backends/kafka.ts'
import { deliveredOf, type OutgoingEvent } from '../../src/envelopes/backend.ts'
import { ownEvent } from '../events.ts'
import { backendContract, type EngineTools } from './contract.ts'
import { someEvents } from './some-events.ts'

const programs = await kafkaPrograms()
const user = { username: 'gatehouse', password: 'kafka-password-of-the-tests' }
let broker: TestKafka

beforeAll(async () => {
  if (!programs) return
  setDefaultCACertificates([...getCACertificates(), readFileSync(programs.certificate, 'utf8')])
  broker = await prepareKafka(programs, user)
})
afterAll(() => broker?.remove())

const environment = () => ({
  OAUTH2_EVENTS_KAFKA_BROKERS: broker.secure,
  OAUTH2_EVENTS_KAFKA_TLS: 'true',
  OAUTH2_EVENTS_KAFKA_USERNAME: user.username,
  OAUTH2_EVENTS_KAFKA_PASSWORD: user.password,
})

function open(variables: Record<string, string>) {
  const { log, lines } = recordedLog()
  const refused: string[] = []
  const backend = kafka.open(loadConfig(Type.Object(kafka.variables), variables), {
    ...{ log, issuer: 'https://issuer.example', ring: { push: () => undefined } },
    refused: ({ envelope }) => refused.push(envelope.event.id),
    attempted: () => undefined,
  })
  return { backend, lines, refused }
}

/** Delivers all events, as the service does. */
async function deliver(events: readonly OutgoingEvent[], variables: Record<string, string>) {
  const { backend, refused } = open({ ...environment(), ...variables })
  const counts: number[] = []
  await expect.poll(() => backend.isHealthy(), { timeout: 15_000 }).toBe(true)
  for (let next = 0; next < events.length; next += counts.at(-1) ?? 0) {
    const rest = events.slice(next)
    counts.push(deliveredOf(await backend.deliver(rest, AbortSignal.timeout(15_000)), rest).settled.size)
  }
  await backend.close()
  return { counts, refused }
}

/** The event with another key, and with a text of this length in its data. */
function changed({ envelope }: OutgoingEvent, { key = envelope.idempotency_key, length = 0 }): OutgoingEvent {
  const event = { ...envelope.event, metadata: { text: 'x'.repeat(length) } }
  return ownEvent({ ...envelope, idempotency_key: key, event }, 'https://issuer.example')
}

if (programs) {
  backendContract({
    kind: kafka,
    async prepare() {
      return { ...broker, received, close: broker.remove }
    },
    environment,
    secret: user.password,
    also: ownTests,
    header: (attribute) => `ce_${attribute}`,
  })
}

test.each([
  [
    { OAUTH2_EVENTS_KAFKA_BROKERS: 'user:password@host:9092' },
    'OAUTH2_EVENTS_KAFKA_BROKERS must be one or more',
  ],
  ...['a:1,,b:2', 'kafka', 'a:1,kafka', 'kafka:', 'kafka:0', 'a:1,kafka:65536', '::1:9092'].map(
    (brokers) =>
      [
        { OAUTH2_EVENTS_KAFKA_BROKERS: brokers },
        'OAUTH2_EVENTS_KAFKA_BROKERS must be one or more of host:port, such as kafka:9092 or [fd00::1]:9092',
      ] as [object, string],
  ),
  [{ OAUTH2_EVENTS_KAFKA_BROKERS: 'a:1', OAUTH2_EVENTS_KAFKA_USERNAME: 'a' }, 'must be set together'],
  [
    { OAUTH2_EVENTS_KAFKA_BROKERS: 'a:1', OAUTH2_EVENTS_KAFKA_TOPIC: 'a b' },
    'OAUTH2_EVENTS_KAFKA_TOPIC must be',
  ],
  [{ OAUTH2_EVENTS_KAFKA_SASL_MECHANISM: 'GSSAPI' }, 'OAUTH2_EVENTS_KAFKA_SASL_MECHANISM must be one of'],
])('the service does not start with %j', (variables, complaint) => {
  expect(() => open(variables as Record<string, string>)).toThrow(complaint)
})

/** The tests that only Kafka has. */
function ownTests({ reasonOfFailure }: EngineTools) {
  const withTopic = async (topic: string, partitions: number, settings: Record<string, string> = {}) => {
    await broker.start()
    const admin = new Admin({ clientId: 'tests', bootstrapBrokers: [broker.plain] })
    const configs = Object.entries(settings).map(([name, value]) => ({ name, value }))
    await admin.createTopics({ topics: [topic], partitions, replicas: 1, configs })
    await admin.close()
    return { OAUTH2_EVENTS_KAFKA_TOPIC: topic }
  }

  test('keeps the order of a key on a topic with several partitions, as Kafka’s own consumer sees it', async () => {
    const variables = await withTopic('orders', 4)
    const events = someEvents(60).map((event, index) => changed(event, { key: `key-${index % 7}` }))
    await deliver(events, variables)
    const output = await broker.tool('org.apache.kafka.tools.consumer.ConsoleConsumer', [
      ...['--bootstrap-server', broker.plain, '--topic', 'orders', '--from-beginning'],
      ...['--max-messages', String(events.length), '--timeout-ms', '20000'],
      ...['partition', 'headers', 'key'].flatMap((name) => ['--property', `print.${name}=true`]),
    ])
    const messages = output
      .trim()
      .split('\n')
      .map((line) => line.split('\t'))
    const partitionsOf = new Map<string, Set<string>>()
    for (const [partition = '', headers = '', key = ''] of messages) {
      partitionsOf.set(key, (partitionsOf.get(key) ?? new Set()).add(partition))
      expect(headers).toContain('ce_specversion:1.0,')
      expect(headers).toContain(`ce_partitionkey:${key}`)
      expect(headers).toContain('content-type:application/json')
      expect(headers).toMatch(/(^|,)traceparent:00-c0ffee/)
    }
    expect([...partitionsOf.values()].map(({ size }) => size)).toEqual(Array.from({ length: 7 }, () => 1))
    expect(new Set([...partitionsOf.values()].flatMap((set) => [...set])).size).toBeGreaterThan(1)
    for (const key of partitionsOf.keys()) {
      const bodies = messages.filter((message) => message[2] === key).map((message) => message[3])
      const sent = events.filter(({ envelope }) => envelope.idempotency_key === key)
      expect(bodies).toEqual(sent.map(({ json }) => json))
    }
  })

  test('sends no larger batches than a broker takes', async () => {
    const variables = await withTopic('large', 1)
    const events = someEvents(40).map((event) => changed(event, { length: 60_000 }))
    const { counts, refused } = await deliver(events, variables)
    expect(counts.length).toBeGreaterThan(2)
    expect(refused).toEqual([])
    expect((await messagesOf('large')).map(({ value }) => value)).toEqual(events.map(({ json }) => json))
  })

  test('refuses events that are larger than the topic allows, and delivers the others', async () => {
    const variables = await withTopic('small', 1, { 'max.message.bytes': '4000' })
    const events = someEvents(20).map((event, index) => changed(event, { length: index === 7 ? 10_000 : 0 }))
    const { refused } = await deliver(events, variables)
    expect(refused).toEqual([events[7]?.envelope.event.id])
    const small = events.filter((_event, index) => index !== 7)
    const received = (await messagesOf('small')).map(({ value }) => value)
    expect([...new Set(received)]).toEqual(small.map(({ json }) => json))
  })

  test('delivers each event once although connections are lost', async () => {
    const variables = await withTopic('cut', 1)
    const sockets: Socket[] = []
    const made = (message: unknown) => void sockets.push((message as { socket: Socket }).socket)
    subscribe('net.client.socket', made)
    const { backend, lines } = open({ ...environment(), ...variables })
    await expect.poll(() => backend.isHealthy(), { timeout: 30_000 }).toBe(true)
    const events = someEvents(400)
    for (let next = 0; next < events.length; next += 20) {
      // Either the events or their confirmations are on the way.
      if (next % 100 === 0) setTimeout(() => sockets.at(-1)?.destroy(), next / 100)
      expect(await backend.deliver(events.slice(next, next + 20), AbortSignal.timeout(15_000))).toBe(20)
    }
    await backend.close()
    unsubscribe('net.client.socket', made)
    expect(sockets.length).toBeGreaterThan(2)
    expect(lines).toEqual([])
    expect((await messagesOf('cut')).map(({ value }) => value)).toEqual(events.map(({ json }) => json))
  })

  test('logs that a password is wrong, without the password', async () => {
    const password = 'quite-a-wrong-password'
    const reason = await reasonOfFailure({ OAUTH2_EVENTS_KAFKA_PASSWORD: password })
    expect(reason).toMatch(/authentication/i)
    expect(reason).not.toContain(password)
  })
}

async function received() {
  return (await messagesOf('gatehouse.events')).map(({ headers, value }) => {
    const named = Object.fromEntries(headers) as Record<string, string>
    return { headers: named, contentType: named['content-type'], body: value }
  })
}

let consumers = 0

/** All messages of a topic so far. */
async function messagesOf(topic: string): Promise<Message<string, string, string, string>[]> {
  consumers += 1
  const consumer = new Consumer({
    clientId: 'tests',
    groupId: `tests-${consumers}`,
    bootstrapBrokers: [broker.plain],
    deserializers: stringDeserializers,
  })
  try {
    const offsets = await consumer.listOffsets({ topics: [topic] })
    const count = Number((offsets.get(topic) ?? []).reduce((sum, offset) => sum + offset, 0n))
    const messages: Message<string, string, string, string>[] = []
    if (count === 0) return messages
    const stream = await consumer.consume({ topics: [topic], mode: 'earliest', autocommit: false })
    for await (const message of stream) {
      messages.push(message)
      if (messages.length >= count) break
    }
    return messages
  } finally {
    await consumer.close(true)
  }
}
