import { readServerUrl } from '@gatehouse/kit/config/server-url'
import { Type } from '@gatehouse/proto/typebox'
import type { JetStreamClient } from '@nats-io/jetstream'
import type { ConnectionOptions, MsgHdrs, NatsConnection } from '@nats-io/transport-node'
import {
  type BackendDeps,
  backendKind,
  needed,
  type OutgoingEvent,
  whereNamed,
} from '../envelopes/backend.ts'
import { deliveryIdOf } from '../envelopes/envelope.ts'
import { type Connected, keepConnected } from './connection.ts'
import { eventTypeWords } from './event-type-words.ts'

/** The client library, loaded only when this backend connects. */
const library = async () => ({
  ...(await import('@nats-io/transport-node')),
  ...(await import('@nats-io/jetstream')),
})
type Library = Awaited<ReturnType<typeof library>>

/** In milliseconds. */
const connectTimeout = 5_000
const pingInterval = 10_000
/** How long the server recognizes an event that is delivered again after an outage. */
const duplicateWindow = 600_000
const keptFor = 7 * 86_400_000
/** The server's error code for a message that is longer than the stream takes. */
const messageTooLong = 10_054
const typeWord = '{type}'

/** Publishes each event to a JetStream stream and waits for the server's confirmation. */
export const nats = backendKind({
  name: 'nats',
  variables: {
    OAUTH2_EVENTS_NATS_URL: Type.Optional(
      Type.String({
        pattern: '^(nats|tls)://[^\\s,]+(,(nats|tls)://[^\\s,]+)*$',
        rule: 'nats:// or tls:// URLs such as nats://user:password@host:4222, separated by commas',
        defaultText: 'none; required by the backend nats',
        secret: true,
        description:
          'The NATS servers that the backend nats publishes to. A user name without a password is a token. All servers get the credentials of the first.',
        check: whereNamed('nats', targetIn),
      }),
    ),
    OAUTH2_EVENTS_NATS_SUBJECT: Type.String({
      default: `gatehouse.events.${typeWord}`,
      pattern: '^([\\w-]+\\.)*([\\w-]+|\\{type\\})$',
      rule: 'words separated by dots, of which the last may be {type}',
      description:
        'The NATS subject; `{type}` stands for the event’s type. If no stream takes the subject, Gatehouse creates one.',
    }),
  },
  open(config, { log, refused }) {
    const target = targetIn(config)
    const subject = config.OAUTH2_EVENTS_NATS_SUBJECT
    const connection = keepConnected({ log, reasonOf, connect: () => connect(target, subject) })
    return {
      ...connection,
      deliver: (events, signal) =>
        connection.deliver(signal, (client) => publish(client, events, subject, refused)),
    }
  },
})

type Client = { library: Library; server: NatsConnection; streams: JetStreamClient }

async function publish(
  { library, server, streams }: Client,
  events: readonly OutgoingEvent[],
  subject: string,
  refused: BackendDeps['refused'],
): Promise<number> {
  const publishOne = async (event: OutgoingEvent) => {
    try {
      await streams.publish(
        subject.replace(typeWord, () => eventTypeWords(event.attributes.type ?? '')),
        event.json,
        { msgID: deliveryIdOf(event.envelope), headers: headersOf(event, library.headers()) },
      )
    } catch (error) {
      if (!isTooLong(error, library)) throw error
      refused(event, 'it is longer than the stream takes')
    }
  }
  const outcomes = await Promise.allSettled(events.map(publishOne))
  const failed = outcomes.findIndex(({ status }) => status === 'rejected')
  const outcome = outcomes[failed]
  // An operator may have deleted the stream.
  if (outcome?.status === 'rejected' && hasNoStream(outcome.reason))
    await ensureStream(library, server, subject)
  if (failed === 0 && outcome?.status === 'rejected') throw outcome.reason
  return failed === -1 ? events.length : failed
}

/** Whether no stream takes the subject. The library reports a server without JetStream in the same way. */
const hasNoStream = (error: unknown) =>
  error instanceof Error && error.message.startsWith('jetstream is not enabled')

const isTooLong = (error: unknown, { JetStreamApiError, errors }: Library) =>
  error instanceof JetStreamApiError
    ? error.code === messageTooLong
    : error instanceof errors.InvalidArgumentError && error.message.includes('max_payload')

function headersOf({ attributes }: OutgoingEvent, headers: MsgHdrs): MsgHdrs {
  for (const [name, value] of Object.entries(attributes)) headers.set(`ce-${name}`, encoded(value))
  const { traceparent, tracestate } = attributes
  if (traceparent !== undefined) headers.set('traceparent', traceparent)
  if (tracestate !== undefined) headers.set('tracestate', encoded(tracestate))
  return headers
}

/** Encodes a value as in HTTP headers (CloudEvents HTTP Protocol Binding section 3.1.3.2). */
const encoded = (value: string) => value.replaceAll(/[^!#$&-~]+/gu, encodeWhole)
/** A lone surrogate cannot be encoded, so it is replaced first. */
const encodeWhole = (text: string) => encodeURIComponent(text.toWellFormed())

async function connect(target: ConnectionOptions, subject: string): Promise<Connected<Client>> {
  const loaded = await library()
  const server = await loaded.connect({
    ...target,
    name: 'gatehouse-events',
    reconnect: false,
    timeout: connectTimeout,
    pingInterval,
  })
  const lost = server
    .closed()
    .then((error) => (error instanceof Error ? reasonOf(error) : 'the connection is closed'))
  // As with every backend: a connection that is lost may fail to close.
  const end = () => server.close().catch(() => undefined)
  try {
    await ensureStream(loaded, server, subject)
  } catch (error) {
    await end()
    throw error
  }
  return {
    client: { library: loaded, server, streams: loaded.jetstream(server) },
    lost,
    end,
    drop: () => void end(),
  }
}

/** Uses an existing stream that takes the subject unchanged, and creates one only if there is none. */
async function ensureStream(library: Library, server: NatsConnection, subject: string): Promise<void> {
  const { DiscardPolicy, StorageType, jetstreamManager, nanos } = library
  const { streams } = await jetstreamManager(server, { checkAPI: false })
  const taken = subject.replace(typeWord, '>')
  if ((await streams.names(taken).next()).length > 0) return
  await streams.add({
    name: subject.replace(`.${typeWord}`, '').replaceAll(/\W/g, '_').toUpperCase(),
    subjects: [taken],
    storage: StorageType.File,
    discard: DiscardPolicy.Old,
    max_age: nanos(keptFor),
    duplicate_window: nanos(duplicateWindow),
  })
}

/** Describes an error. Messages of the library and the server contain no credentials. */
function reasonOf(error: unknown): string {
  if (hasNoStream(error)) return 'no stream takes the subject, or the server has no JetStream'
  return error instanceof Error ? error.message || error.name : 'unknown'
}

function targetIn(config: { OAUTH2_EVENTS_NATS_URL?: string }): ConnectionOptions {
  const text = needed(config, 'OAUTH2_EVENTS_NATS_URL', 'nats')
  const expected = 'nats:// or tls:// URLs such as nats://user:password@host:4222, separated by commas'
  return readServerUrl('OAUTH2_EVENTS_NATS_URL', text, expected, () => {
    const urls = text.split(',').map((one) => new URL(one))
    if (urls.some(({ host }) => host === '')) return undefined
    const [{ name, password } = { name: '', password: '' }] = urls.map(({ username, password }) => ({
      name: decodeURIComponent(username),
      password: decodeURIComponent(password),
    }))
    return {
      servers: urls.map(({ host }) => host),
      ...(name !== '' && (password === '' ? { token: name } : { user: name, pass: password })),
      ...(urls.some(({ protocol }) => protocol === 'tls:') && { tls: {} }),
    }
  })
}
