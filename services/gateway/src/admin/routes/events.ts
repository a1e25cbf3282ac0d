import { Refusal } from '@gatehouse/kit/errors'
import { Type } from 'typebox'
import type { App } from '../../app.ts'
import { envelopeSchema } from '../../event-envelope.ts'
import { answerOf } from '../../schemas.ts'
import { adminAnswers, adminSecurity } from '../api-schemas.ts'
import type { AdminDeps } from '../deps.ts'
import type { RecentEvent } from '../event-order.ts'
import { isExternal, readPosition, writePosition } from '../event-order.ts'
import { eventStream } from '../event-stream.ts'
import type { RecentEvents } from '../recent-events.ts'

/** Which events are wanted. */
export type EventFilter = {
  /** Empty: of all types. */
  type: string
  /** Of whom; empty: of all. */
  origin: string
}

/** How many events are given that does not say it, and at the most. */
const defaultLimit = 50
const mostEvents = 1_000

const example = {
  event: {
    id: '019b7a5e-0000-7000-8000-000000000009',
    event_type: 'token_created',
    timestamp: '2026-01-01T00:00:00.000Z',
    severity: 'info',
    client_id: '<CLIENT_ID>',
    metadata: { grant_type: 'client_credentials', scope: 'read' },
  },
  producer: 'token',
  produced_at: '2026-01-01T00:00:00.050Z',
  idempotency_key: '019b7a5e-0000-7000-8000-000000000009',
  attributes: {},
}

const list = Type.Object(
  {
    enabled: Type.Boolean({ description: 'Whether there are events at all: `OAUTH2_EVENTS_ENABLED`.' }),
    held: Type.Boolean({
      description: 'Whether the backend `in_memory` is configured, which is what is shown.',
    }),
    replicas: Type.Integer({ description: 'How many replicas of the events service there are.' }),
    answering: Type.Integer({ description: 'How many of them answered. What the others hold is not here.' }),
    cursor: Type.String({ description: 'For the parameter `after` of the stream, which goes on from here.' }),
    items: Type.Array(envelopeSchema),
  },
  {
    title: 'EventList',
    description: 'The newest events, those that came last first.',
    examples: [
      {
        ...{ enabled: true, held: true, replicas: 1, answering: 1 },
        cursor: '019b7a5e-0000-7000-8000-00000000000a:1',
        items: [example],
      },
    ],
  },
)

/** /admin/api/events and /admin/api/events/stream. */
export function eventRoutes(app: App, { recentEvents }: Pick<AdminDeps, 'recentEvents'>): void {
  app.route({
    method: 'GET',
    url: '/admin/api/events',
    schema: {
      operationId: 'listEvents',
      summary: 'List the newest events',
      description:
        'What the backend `in_memory` of each replica of the events service holds: its newest 1,000.',
      tags: ['Admin'],
      security: adminSecurity,
      querystring: Type.Object({
        type: Type.Optional(Type.String({ description: 'Only those of this type.' })),
        origin: Type.Optional(
          Type.Enum(['own', 'external'], {
            description: '`own`: only what happened in this system. `external`: only what others sent.',
          }),
        ),
        limit: Type.Optional(
          Type.Integer({ minimum: 1, maximum: mostEvents, default: defaultLimit, description: 'How many.' }),
        ),
      }),
      response: adminAnswers({ 200: list }, 'invalid_request'),
    },
    async handler({ query }) {
      const { type = '', origin = '', limit = defaultLimit } = query
      if (recentEvents === undefined) return nothing
      const { events, position, sources } = await recentEvents.read()
      if (sources.answering === 0) throw new Refusal('temporarily_unavailable')
      return {
        enabled: true,
        ...sources,
        cursor: writePosition(position),
        items: newest(events, { type, origin }, limit).map(({ envelope }) => envelope),
      }
    },
  })
  streamRoute(app, recentEvents)
}

const nothing = { enabled: false, held: false, replicas: 0, answering: 0, cursor: '', items: [] }

/**
 * The events that are wanted, those that came last first.
 * @param events the oldest first
 */
export function newest(events: readonly RecentEvent[], { type, origin }: EventFilter, limit: number) {
  const wanted = events.filter(
    (event) =>
      (type === '' || event.envelope.event.event_type === type) &&
      (origin === '' || isExternal(event) === (origin === 'external')),
  )
  return wanted.slice(-limit).reverse()
}

function streamRoute(app: App, recentEvents: RecentEvents | undefined): void {
  const open = new Set<{ end(): void }>()
  // Else the server's end would wait for those who watch.
  app.addHook('preClose', async () => {
    for (const stream of open) stream.end()
  })
  app.route({
    method: 'GET',
    url: '/admin/api/events/stream',
    config: { endless: true },
    schema: {
      operationId: 'watchEvents',
      summary: 'Watch events as they come',
      description:
        'Server-sent events: the data of each message is an envelope, and its id is for `Last-Event-ID`, with which a stream goes on where another ended. A message of the kind `sources` says how many replicas of the events service there are, and how many answer. It ends when the session does.',
      tags: ['Admin'],
      security: adminSecurity,
      headers: Type.Object({
        'last-event-id': Type.Optional(
          Type.String({ description: 'Of the last message that was received.' }),
        ),
      }),
      querystring: Type.Object({
        after: Type.Optional(
          Type.String({ description: '`cursor` of the list. Without both: what comes from now on.' }),
        ),
      }),
      response: adminAnswers({ 200: messages }, 'invalid_request', 'eventing_disabled'),
    },
    async handler(request, reply) {
      if (recentEvents === undefined) throw new Refusal('eventing_disabled')
      const after = request.headers['last-event-id'] || request.query.after
      const position = after === undefined ? undefined : readPosition(after)
      if (after !== undefined && position === undefined)
        throw new Refusal('invalid_request', 'after is invalid.')
      reply
        .type('text/event-stream; charset=utf-8')
        // Proxies pass each message on at once.
        .header('x-accel-buffering', 'no')
      // Whose answer would wait for the end of the body that it does not have.
      if (request.method === 'HEAD') return reply.send()
      const stream = eventStream({
        ...{ recent: recentEvents, position },
        isStillIn: () => request.isStillIn(),
      })
      open.add(stream)
      stream.body.once('close', () => open.delete(stream))
      return reply.send(stream.body)
    },
  })
}

const messages = answerOf('text/event-stream', 'Messages, until who watches goes or may not go on.')
