import { DeliverPolicy, type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect, nanos } from '@nats-io/transport-node'
import { describe, expect, test } from 'vitest'
import { hasNats, prepareNats, type TestNats } from '../../../../test/support/servers/nats.ts'
import { nats } from '../../src/backends/nats.ts'
import type { OutgoingEvent } from '../../src/envelopes/backend.ts'
import { ownEvent } from '../events.ts'
import { backendContract, type ReceivedMessage } from './contract.ts'
import { someEvents } from './some-events.ts'

describe.skipIf(!hasNats)('with a real NATS', () => {
  let server: TestNats
  backendContract({
    kind: nats,
    secret: 'not-for-the-log',
    environment: () => ({ OAUTH2_EVENTS_NATS_URL: `nats://${server.user}:${server.pass}@${server.address}` }),
    header: (attribute) => `ce-${attribute}`,
    async prepare() {
      server = await prepareNats()
      return {
        ...server,
        async received() {
          const { address: servers, user, pass } = server
          const client = await connect({ servers, user, pass })
          const manager = await jetstreamManager(client)
          const stream = await manager.streams.find('gatehouse.events.>')
          const { messages } = (await manager.streams.info(stream)).state
          const consumer = await jetstream(client).consumers.get(stream, {
            deliver_policy: DeliverPolicy.All,
          })
          const got: ReceivedMessage[] = []
          for await (const message of messages === 0 ? [] : await consumer.consume()) {
            const names = message.headers?.keys() ?? []
            const headers = Object.fromEntries(
              names.map((name) => [name, decodeURIComponent(message.headers?.get(name) ?? '')]),
            )
            got.push({ headers, contentType: headers['ce-datacontenttype'], body: message.string() })
            if (got.length === messages) break
          }
          await client.close()
          return got
        },
      }
    },
    also({ deliver, reasonOfFailure }) {
      const manage = async <Result>(act: (manager: JetStreamManager) => Promise<Result>) => {
        const { address: servers, user, pass } = server
        const client = await connect({ servers, user, pass })
        const result = await act(await jetstreamManager(client))
        await client.close()
        return result
      }

      test('stores events of several sources that have the same id, each once', async () => {
        const environment = { OAUTH2_EVENTS_NATS_SUBJECT: 'sources.events' }
        const [event] = someEvents(1)
        const events = ['orders', 'orders', 'shipping'].map((source, index) =>
          ownEvent(
            {
              ...(event as OutgoingEvent).envelope,
              idempotency_key: `key ${index}`,
              attributes: { source: `https://shop.example/${source}` },
            },
            'https://issuer.example',
          ),
        )
        await deliver(events, environment)
        await deliver(events, environment)
        const { state } = await manage(({ streams }) => streams.info('SOURCES_EVENTS'))
        expect(state.messages).toBe(3)
      })

      test('stores an event once although it is delivered again', async () => {
        const environment = { OAUTH2_EVENTS_NATS_SUBJECT: 'repeated.events' }
        const events = someEvents(5)
        await deliver(events, environment)
        await deliver(events, environment)
        const { state } = await manage(({ streams }) => streams.info('REPEATED_EVENTS'))
        expect(state.messages).toBe(5)
      })

      test('uses an existing stream for its subject unchanged', async () => {
        const config = { name: 'somebodys', subjects: ['other.>'], max_age: nanos(1_000_000), max_msgs: 7 }
        const { config: before } = await manage(({ streams }) => streams.add(config))
        await deliver(someEvents(3), { OAUTH2_EVENTS_NATS_SUBJECT: 'other.events.{type}' })
        const info = await manage(({ streams }) => streams.info('somebodys', { subjects_filter: '>' }))
        expect(info.config).toEqual(before)
        expect(info.state.subjects).toEqual({
          'other.events.token_created': 2,
          'other.events.com.example.Order_placed__._____': 1,
        })
      })

      test('logs that NATS refuses the password, without the password', async () => {
        const url = `nats://${server.user}:wrong-password@${server.address}`
        const reason = await reasonOfFailure({ OAUTH2_EVENTS_NATS_URL: url })
        expect(reason).toMatch(/authorization/i)
        expect(reason).not.toContain('wrong-password')
      })
    },
  })
})
