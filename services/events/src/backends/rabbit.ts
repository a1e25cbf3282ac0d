import type { Socket } from 'node:net'
import { readServerUrl } from '@gatehouse/kit/server-url'
import type { Channel, ChannelModel, ConfirmChannel } from 'amqplib'
import { Type } from 'typebox'
import { backendKind, needed, type OutgoingEvent, whereNamed } from '../backend.ts'
import { type Connected, keepConnected } from './connection.ts'
import { eventTypeWords } from './event-type-words.ts'

/** The client library: only those who have a RabbitMQ wait for it. */
const library = () => import('amqplib')

/** In milliseconds. */
const connectTimeout = 5_000
const closeTimeout = 1_000
/** Of AMQP 0-9-1 section 1.2. */
const notFound = 404
/** In seconds. */
const heartbeat = 10

/** Publishes each event to a durable topic exchange, with the broker's confirmation. */
export const rabbit = backendKind({
  name: 'rabbit',
  variables: {
    OAUTH2_EVENTS_RABBIT_URL: Type.Optional(
      Type.String({
        pattern: '^amqps?://\\S+$',
        rule: 'an amqp:// or amqps:// URL, as amqp://user:password@host:5672/vhost',
        defaultText: 'none; needed by the backend rabbit',
        secret: true,
        description: 'The RabbitMQ that the backend rabbit publishes to.',
        check: whereNamed('rabbit', urlIn),
      }),
    ),
    OAUTH2_EVENTS_RABBIT_EXCHANGE: Type.String({
      default: 'gatehouse.events',
      pattern: '^[!-~]{1,255}$',
      rule: 'a name of 1 to 255 ASCII characters without spaces',
      description: 'The exchange. Where there is none, a durable topic exchange is declared.',
    }),
    OAUTH2_EVENTS_RABBIT_ROUTING_KEY: Type.String({
      default: '{type}',
      pattern: '^[!-~]{1,50}$',
      rule: '1 to 50 ASCII characters without spaces',
      description: 'The routing key; `{type}` in it stands for the event’s type.',
    }),
  },
  open(config, { log, refused }) {
    const url = urlIn(config)
    const exchange = config.OAUTH2_EVENTS_RABBIT_EXCHANGE
    const keyOf = (type: string) =>
      config.OAUTH2_EVENTS_RABBIT_ROUTING_KEY.replace('{type}', () => eventTypeWords(type))
    const connection = keepConnected({ log, reasonOf, connect: () => connect(url, exchange) })
    const publishOrRefuse = async ({ channel }: Client, event: OutgoingEvent) => {
      try {
        await publishOne(channel, exchange, keyOf, event)
      } catch (error) {
        // The library says so before it sends anything, and would say it again each time.
        if (!(error instanceof RangeError)) throw error
        refused(event, 'its headers are longer than AMQP takes')
      }
    }
    const publish = async (client: Client, events: readonly OutgoingEvent[]) => {
      const outcomes = await unlessBlocked(client, () =>
        Promise.allSettled(events.map((event) => publishOrRefuse(client, event))),
      )
      const failed = outcomes.findIndex(({ status }) => status === 'rejected')
      const outcome = outcomes[failed]
      if (failed === 0 && outcome?.status === 'rejected') throw outcome.reason
      return failed === -1 ? events.length : failed
    }
    return {
      ...connection,
      deliver: (events, signal) => connection.deliver(signal, (client) => publish(client, events)),
    }
  },
})

/** A connection, and what is known of it. */
type Client = {
  model: ChannelModel
  channel: ConfirmChannel
  /** Why the broker takes nothing now: it lacks memory or disk space. */
  blocked: string | undefined
}

/**
 * Waits for confirmations no longer than the broker takes messages. The connection is kept meanwhile: the broker takes
 * what was sent when it can again, and a new connection would only send the same once more.
 */
async function unlessBlocked<Result>(client: Client, act: () => Promise<Result>): Promise<Result> {
  const refusal = (why: string) => new Error(`it takes no messages now: ${why}`)
  if (client.blocked !== undefined) throw refusal(client.blocked)
  let listener: (why: string) => void = () => undefined
  const blocked = new Promise<never>((_resolve, reject) => {
    listener = (why) => reject(refusal(why))
    client.model.once('blocked', listener)
  })
  try {
    return await Promise.race([act(), blocked])
  } finally {
    client.model.off('blocked', listener)
  }
}

function publishOne(
  channel: ConfirmChannel,
  exchange: string,
  keyOf: (type: string) => string,
  { envelope, attributes, json }: OutgoingEvent,
): Promise<void> {
  const { datacontenttype: contentType = '', traceparent, tracestate, ...others } = attributes
  const trace = { ...(traceparent && { traceparent }), ...(tracestate && { tracestate }) }
  const named = Object.entries({ ...others, ...trace }).map(([name, value]) => [`cloudEvents_${name}`, value])
  const options = {
    persistent: true,
    messageId: envelope.event.id,
    contentType,
    headers: { ...Object.fromEntries(named), ...trace },
  }
  return new Promise((resolve, reject) => {
    channel.publish(exchange, keyOf(envelope.event.event_type), Buffer.from(json), options, (error) =>
      error ? reject(error) : resolve(),
    )
  })
}

async function connect(url: string, exchange: string): Promise<Connected<Client>> {
  const target = new URL(url)
  if (!target.searchParams.has('heartbeat')) target.searchParams.set('heartbeat', String(heartbeat))
  const amqp = await library()
  const model = await amqp.connect(target.href, {
    timeout: connectTimeout,
    noDelay: true,
    keepAlive: true,
    clientProperties: { connection_name: 'gatehouse-events' },
  })
  const state: Omit<Client, 'channel'> = { model, blocked: undefined }
  model.on('blocked', (why) => {
    state.blocked = why
  })
  model.on('unblocked', () => {
    state.blocked = undefined
  })
  let reason: Error | undefined
  const remember = (error: Error) => {
    reason ??= error
  }
  model.on('error', remember)
  const lost = new Promise<string>((resolve) => {
    model.once('close', (error) =>
      resolve(reasonOf(reason ?? error ?? new Error('the connection is closed'))),
    )
  })
  const end = () => endConnection(model)
  const timer = setTimeout(() => dropConnection(model), connectTimeout)
  try {
    await ensureExchange(model, exchange)
    const channel = await model.createConfirmChannel()
    channel.on('error', remember)
    // The broker closes a channel on which something was wrong; nothing can be published on it any more.
    channel.once('close', () => void end())
    return { client: Object.assign(state, { channel }), lost, end, drop: () => dropConnection(model) }
  } catch (error) {
    await end()
    throw error
  } finally {
    clearTimeout(timer)
  }
}

/** Uses the exchange as it is, whatever its type; declares it only where there is none. */
async function ensureExchange(model: ChannelModel, exchange: string): Promise<void> {
  const onChannel = async (act: (channel: Channel) => Promise<unknown>) => {
    const channel = await model.createChannel()
    // What is wrong is in the rejection too; without a listener the process would end.
    channel.on('error', () => undefined)
    await act(channel)
    await channel.close()
  }
  try {
    await onChannel((channel) => channel.checkExchange(exchange))
  } catch (error) {
    if ((error as { code?: number }).code !== notFound) throw error
    await onChannel((channel) => channel.assertExchange(exchange, 'topic', { durable: true }))
  }
}

/** Says goodbye, so that the broker does not log a broken connection, unless it does not answer. */
async function endConnection(model: ChannelModel): Promise<void> {
  const timer = setTimeout(() => dropConnection(model), closeTimeout)
  const closed = new Promise((resolve) => streamOf(model).once('close', resolve))
  // It may be closed already.
  await Promise.race([model.close(), closed]).catch(() => undefined)
  clearTimeout(timer)
}

/** A goodbye that got no answer would leave the heartbeat's timer. */
function dropConnection(model: ChannelModel): void {
  const { heartbeater } = model.connection as unknown as { heartbeater?: { clear(): void } | null }
  heartbeater?.clear()
  streamOf(model).destroy(new Error('the connection was given up'))
}

const streamOf = (model: ChannelModel) => (model.connection as unknown as { stream: Socket }).stream

/** The library's and the broker's texts have no credentials. */
const reasonOf = (error: unknown) =>
  (error as Error).message || ((error as { code?: string }).code ?? 'unknown')

function urlIn(config: { OAUTH2_EVENTS_RABBIT_URL?: string }): string {
  const text = needed(config, 'OAUTH2_EVENTS_RABBIT_URL', 'rabbit')
  const expected = 'an amqp:// or amqps:// URL, as amqp://user:password@host:5672/vhost'
  return readServerUrl('OAUTH2_EVENTS_RABBIT_URL', text, expected, () => {
    const { hostname, username, password, pathname } = new URL(text)
    decodeURIComponent(username + password + pathname)
    return hostname !== '' ? text : undefined
  })
}
