import { prepareNats, type TestNats } from '@gatehouse/test/servers/nats'
import { DeliverPolicy, jetstream, jetstreamManager, StorageType } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import type { Observation } from '../history/lines.ts'
import { nameOf } from '../history/names.ts'

/** The events of a stream, as a consumer gets them. */
export type Broker = TestNats & {
  port: number
  /** Reads all events from outside, from the beginning of the stream. */
  delivered(): AsyncGenerator<Observation>
}

const subjects = 'gatehouse.events.>'

/** Starts a NATS with JetStream. @param options.forgetful whether its stream is in memory alone, and so lost when it is killed */
export async function startBroker(options: {
  stack: AsyncDisposableStack
  forgetful: boolean
}): Promise<Broker> {
  const server = await prepareNats()
  options.stack.defer(() => server.close())
  await server.start()
  const open = () => connect({ servers: server.address, user: server.user, pass: server.pass })
  const client = await open()
  const manager = await jetstreamManager(client)
  const storage = options.forgetful ? StorageType.Memory : StorageType.File
  await manager.streams.add({ name: 'GATEHOUSE_EVENTS', subjects: [subjects], storage })
  await client.close()
  return {
    ...server,
    port: Number(server.address.split(':')[1]),
    async *delivered() {
      const client = await open()
      try {
        const streams = (await jetstreamManager(client)).streams
        const { messages } = (await streams.info('GATEHOUSE_EVENTS')).state
        const consumer = await jetstream(client).consumers.get('GATEHOUSE_EVENTS', {
          deliver_policy: DeliverPolicy.All,
        })
        let left = messages
        for await (const message of messages === 0 ? [] : await consumer.consume()) {
          const id = message.headers?.get('ce-id') ?? ''
          const key = message.headers?.get('ce-partitionkey') ?? ''
          if (message.headers?.get('ce-producer') === 'external')
            yield {
              is: 'delivered',
              broker: 'nats',
              position: message.seq,
              key,
              id,
              digest: nameOf(message.string()),
            }
          left -= 1
          if (left === 0) break
        }
      } finally {
        await client.close()
      }
    },
  }
}
