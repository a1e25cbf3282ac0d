import { type ConsumeMessage, connect, type GetMessage } from 'amqplib'
import { describe, expect, test } from 'vitest'
import { hasRabbit, prepareRabbit, type TestRabbit } from '../../../../test/support/servers/rabbit.ts'
import { rabbit } from '../../src/backends/rabbit.ts'
import type { Envelope } from '../../src/envelopes/envelope.ts'
import { ownEvent } from '../events.ts'
import { backendContract, type ReceivedMessage } from './contract.ts'
import { someEvents } from './some-events.ts'

describe.skipIf(!hasRabbit)('with a real RabbitMQ', () => {
  const exchange = 'some.events'
  const queue = 'all-events'
  let server: TestRabbit
  /** Opens the consumer's own connection for one action. */
  async function consumer<Result>(act: (channel: Awaited<ReturnType<typeof channelOf>>) => Promise<Result>) {
    const model = await connect(server.url, { noDelay: true })
    const result = await act(await channelOf(model))
    await model.close()
    return result
  }
  const channelOf = (model: Awaited<ReturnType<typeof connect>>) => model.createChannel()

  backendContract({
    kind: rabbit,
    secret: 'not-for-the-log',
    environment: () => ({ OAUTH2_EVENTS_RABBIT_URL: server.url, OAUTH2_EVENTS_RABBIT_EXCHANGE: exchange }),
    header: (attribute) => `cloudEvents_${attribute}`,
    async prepare() {
      server = await prepareRabbit()
      const got: ReceivedMessage[] = []
      return {
        ...server,
        async start() {
          await server.start()
          await consumer(async (channel) => {
            await channel.assertExchange(exchange, 'topic', { durable: true })
            await channel.assertQueue(queue, { durable: true })
            await channel.bindQueue(queue, exchange, '#')
          })
        },
        received: () =>
          consumer(async (channel) => {
            const { messageCount } = await channel.checkQueue(queue)
            const wanted = got.length + messageCount
            const { promise: all, resolve } = Promise.withResolvers<void>()
            const take = (message: ConsumeMessage | null) => {
              const { headers = {}, contentType } = message?.properties ?? {}
              got.push({ headers, contentType, body: String(message?.content) })
              if (got.length === wanted) resolve()
            }
            await channel.consume(queue, take, { noAck: true })
            if (messageCount > 0) await all
            return got
          }),
      }
    },
    also({ deliver, reasonOfFailure }) {
      test('publishes persistent messages with the event’s type as routing key and the event’s id', async () => {
        const environment = {
          OAUTH2_EVENTS_RABBIT_EXCHANGE: 'amq.topic',
          OAUTH2_EVENTS_RABBIT_ROUTING_KEY: 'events.{type}',
        }
        await consumer(async (channel) => {
          await channel.assertQueue('some', { durable: true })
          await channel.bindQueue('some', 'amq.topic', 'events.#')
        })
        const events = someEvents(3)
        await deliver(events, environment)
        const messages = await consumer(async (channel) => {
          const got: GetMessage[] = []
          for (const _ of events) {
            const message = await channel.get('some', { noAck: true })
            if (message) got.push(message)
          }
          return got
        })
        expect(messages).toMatchObject(
          events.map(({ envelope }) => ({
            properties: { deliveryMode: 2, messageId: envelope.event.id },
          })),
        )
        const keys = messages.map(({ fields }) => fields.routingKey)
        expect(keys.toSorted()).toEqual([
          'events.com.example.Order_placed__._____',
          ...['events.token_created', 'events.token_created'],
        ])
      })

      test('refuses an event whose headers are too long for AMQP, and publishes the others', async () => {
        const exchange = 'amq.fanout'
        await consumer(async (channel) => {
          await channel.assertQueue('others', { durable: true })
          await channel.bindQueue('others', exchange, '')
        })
        const [first, long, last] = someEvents(3)
        if (!first || !long || !last) return expect.unreachable('there are three')
        const envelope: Envelope = { ...long.envelope, attributes: { subject: 'x'.repeat(66_000) } }
        const events = [first, ownEvent(envelope, 'https://issuer.example'), last]
        const refused = await deliver(events, { OAUTH2_EVENTS_RABBIT_EXCHANGE: exchange })
        expect(refused).toEqual([envelope.event.id])
        const bodies = await consumer(async (channel) => {
          const got = [await channel.get('others'), await channel.get('others'), await channel.get('others')]
          return got.map((message) => message && String(message.content))
        })
        expect(bodies).toEqual([first.json, last.json, false])
      })

      test('logs that RabbitMQ refuses the password, without the password', async () => {
        const url = server.url.replace(server.pass, 'wrong-password')
        const reason = await reasonOfFailure({ OAUTH2_EVENTS_RABBIT_URL: url })
        expect(reason).toMatch(/ACCESS.REFUSED/)
        expect(reason).not.toContain('wrong-password')
      })
    },
  })
})
