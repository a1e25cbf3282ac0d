import type { Socket } from 'node:net'
import { readServerUrl } from '@gatehouse/kit/config/server-url'
import { Type } from '@gatehouse/proto/typebox'
import type { Channel, ChannelModel, ConfirmChannel } from 'amqplib'
import { backendKind, needed, type OutgoingEvent, whereNamed } from '../envelopes/backend.ts'
import { type Connected, keepConnected } from './connection.ts'
import { eventTypeWords } from './event-type-words.ts'

/** The client library, loaded only when this backend connects. */
const library = () => import('amqplib')

/** In milliseconds. */
const connectTimeout = 5_000
const closeTimeout = 1_000
/** The reply code not-found (AMQP 0-9-1 section 1.2). */
const notFound = 404
/** In seconds. */
const heartbeat = 10

/** Publishes each event to an exchange and waits for the broker's confirmation. */
export const rabbit = backendKind({
  name: 'rabbit',
  variables: {
    OAUTH2_EVENTS_RABBIT_URL: Type.Optional(
      Type.String({
        pattern: '^amqps?://\\S+$',
        rule: 'an amqp:// or amqps:// URL such as amqp://user:password@host:5672/vhost',
        defaultText: 'none; required by the backend rabbit',
        secret: true,
        description: 'The RabbitMQ that the backend rabbit publishes to.',
        check: whereNamed('rabbit', urlIn),
      }),
    ),
    OAUTH2_EVENTS_RABBIT_EXCHANGE: Type.String({
      default: 'gatehouse.events',
      pattern: '^[!-~]{1,255}$',
      rule: 'a name of 1 to 255 ASCII characters without spaces',
      description: 'The RabbitMQ exchange. If it does not exist, a durable topic exchange is declared.',
    }),
    OAUTH2_EVENTS_RABBIT_ROUTING_KEY: Type.String({
      default: '{type}',
      pattern: '^[!-~]{1,50}$',
      rule: '1 to 50 ASCII characters without spaces',
      description: 'The RabbitMQ routing key; `{type}` stands for the event’s type.',
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
        // The library throws this before it sends anything, so a retry would fail too.
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

/** A connection and its state. */
type Client = {
  model: ChannelModel
  channel: ConfirmChannel
  /** Why the broker takes no messages now, such as a lack of memory or disk space; undefined when it does. */
  blocked: string | undefined
}

/**
 * Waits for confirmations unless the broker stops taking messages. The connection stays open: the broker takes the sent
 * messages once it can, and a new connection would only send them a second time.
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
  { attributes, json }: OutgoingEvent,
): Promise<void> {
  const { datacontenttype: contentType = '', traceparent, tracestate, ...others } = attributes
  const trace = { ...(traceparent && { traceparent }), ...(tracestate && { tracestate }) }
  const named = Object.entries({ ...others, ...trace }).map(([name, value]) => [`cloudEvents_${name}`, value])
  const options = {
    persistent: true,
    messageId: attributes.id ?? '',
    contentType,
    headers: { ...Object.fromEntries(named), ...trace },
  }
  return new Promise((resolve, reject) => {
    channel.publish(exchange, keyOf(attributes.type ?? ''), Buffer.from(json), options, (error) =>
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
    // The broker closes a channel after an error, and nothing more can be published on it.
    channel.once('close', () => void end())
    return { client: Object.assign(state, { channel }), lost, end, drop: () => dropConnection(model) }
  } catch (error) {
    await end()
    throw error
  } finally {
    clearTimeout(timer)
  }
}

/** Uses an existing exchange unchanged, whatever its type, and declares one only if there is none. */
async function ensureExchange(model: ChannelModel, exchange: string): Promise<void> {
  const onChannel = async (act: (channel: Channel) => Promise<unknown>) => {
    const channel = await model.createChannel()
    // The rejection has the error too; without a listener the process would exit.
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

/** Closes the connection properly, so that the broker does not log a broken one. Drops it if the broker does not answer. */
async function endConnection(model: ChannelModel): Promise<void> {
  const timer = setTimeout(() => dropConnection(model), closeTimeout)
  const closed = new Promise((resolve) => streamOf(model).once('close', resolve))
  // The connection may be closed already.
  await Promise.race([model.close(), closed]).catch(() => undefined)
  clearTimeout(timer)
}

/** Closes the connection at once. The library leaves the heartbeat's timer running, so it is stopped here. */
function dropConnection(model: ChannelModel): void {
  const { heartbeater } = model.connection as unknown as { heartbeater?: { clear(): void } | null }
  heartbeater?.clear()
  streamOf(model).destroy(new Error('the connection was given up'))
}

const streamOf = (model: ChannelModel) => (model.connection as unknown as { stream: Socket }).stream

/** Describes an error. Messages of the library and the broker contain no credentials. */
const reasonOf = (error: unknown) =>
  (error as Error).message || ((error as { code?: string }).code ?? 'unknown')

function urlIn(config: { OAUTH2_EVENTS_RABBIT_URL?: string }): string {
  const text = needed(config, 'OAUTH2_EVENTS_RABBIT_URL', 'rabbit')
  const expected = 'an amqp:// or amqps:// URL such as amqp://user:password@host:5672/vhost'
  return readServerUrl('OAUTH2_EVENTS_RABBIT_URL', text, expected, () => {
    const { hostname, username, password, pathname } = new URL(text)
    decodeURIComponent(username + password + pathname)
    return hostname !== '' ? text : undefined
  })
}
