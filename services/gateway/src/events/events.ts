import { type App, notStored } from '@gatehouse/http/app'
import { answers } from '@gatehouse/http/schemas'
import { Refusal } from '@gatehouse/kit/errors'
import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import type { EventsServiceService } from '@gatehouse/proto/events/v1'
import { Type } from '@gatehouse/proto/typebox'
import type { FastifyError, FastifyRequest } from 'fastify'
import { takeBodies } from '../connections/read-body.ts'
import { endpoint } from '../endpoint/endpoint.ts'
import { utf8Text } from '../http/take-json.ts'
import { presentsToken } from '../oauth/presented.ts'
import { answerError } from '../people/pages/errors.ts'
import { submittedCloudEvent, submittedEnvelope } from './event-envelope.ts'
import type { EventIngestion } from './event-ingestion.ts'
import { cloudEventType, submissionOf } from './event-submission.ts'

/** The needs of the routes for events. */
export type EventRouteDeps = {
  events: Pick<RpcClient<typeof EventsServiceService>, 'getEventHealth'>
  ingest: EventIngestion
  /** The bearer token that senders must present; undefined when anybody may send. */
  ingestToken: string | undefined
}

/** GET /events/health and POST /events/ingest. */
export const eventEndpoints = endpoint({
  name: 'events',
  door: 'anybody',
  scoped: true,
  tag: 'Events',
  routes: eventRoutes,
})

/** @param needs.eventing absent when eventing is off */
function eventRoutes(app: App, { eventing: deps }: { eventing?: EventRouteDeps | undefined }): void {
  app.route({
    method: 'GET',
    url: '/events/health',
    schema: {
      operationId: 'getEventHealth',
      summary: 'Event backend health',
      description: 'Also answered while eventing is off.',
      response: answers({ 200: eventHealth }, 'temporarily_unavailable'),
    },
    handler: async () => (deps ? deps.events.getEventHealth({}) : { enabled: false, plugins: [] }),
  })
  app.register(async (ingestion: App) => ingestRoute(ingestion, deps))
}

const eventHealth = Type.Object(
  {
    enabled: Type.Boolean(),
    plugins: Type.Array(Type.Object({ name: Type.String(), healthy: Type.Boolean() }), {
      description: 'One for each configured backend.',
    }),
  },
  {
    title: 'EventHealth',
    description: 'The health of the event backends.',
    examples: [{ enabled: true, plugins: [{ name: 'in_memory', healthy: true }] }],
  },
)

const receipt = Type.Object(
  {
    status: Type.Enum(['accepted', 'duplicate'], {
      description:
        '`duplicate`: an event with this key was already accepted within the last 24 hours, and this one was discarded.',
    }),
    idempotency_key: Type.String(),
    event_id: Type.String({ format: 'uuid', description: 'The id of the accepted event.' }),
  },
  {
    title: 'IngestResult',
    description: 'The event is stored and will be delivered.',
    examples: [
      {
        status: 'accepted',
        idempotency_key: 'order-A-1001-paid',
        event_id: '019b7a5e-0000-7000-8000-000000000009',
      },
    ],
  },
)

const header = (description: string) => Type.Optional(Type.String({ description }))

function ingestRoute(app: App, deps: EventRouteDeps | undefined): void {
  takeEvents(app)
  app.route({
    method: 'POST',
    url: '/events/ingest',
    schema: {
      operationId: 'ingestEvent',
      summary: 'Submit an external event',
      description:
        'Takes one event: an envelope, or a CloudEvent 1.0, either in the JSON format or with its attributes as `ce-` headers and its data as the JSON body.',
      security: [{ ingestToken: [] }, {}],
      headers: Type.Object({
        'idempotency-key': header(
          'Of several events with the same key only one is accepted. The default is the envelope’s `idempotency_key`, else the event’s id; for a CloudEvent, its `source` and `id`.',
        ),
        'ce-specversion': header(
          '`1.0` for a CloudEvent in binary mode. Its other attributes are `ce-` headers too.',
        ),
        traceparent: header('The trace that the event belongs to (W3C Trace Context).'),
        'x-request-id': header('Becomes the `correlation_id` if the envelope has none.'),
      }),
      body: {
        content: {
          'application/json': { schema: submittedEnvelope },
          [cloudEventType]: { schema: submittedCloudEvent },
        },
      },
      response: answers(
        { 202: receipt },
        'invalid_request',
        'invalid_token',
        'eventing_disabled',
        'temporarily_unavailable',
      ),
    },
    // The event is passed on as it came; the events service validates it.
    validatorCompiler: () => () => true,
    // Whether eventing is on and the sender's token are checked before the body is read.
    onRequest: async (request, reply) => {
      reply.headers(notStored)
      checkSender(request, deps)
    },
    async handler(request, reply) {
      const { ingest, ingestToken } = switchedOn(deps)
      const { duplicate, idempotencyKey, eventId } = await ingest(
        submissionOf(request, ingestToken !== undefined),
      )
      reply.code(202)
      return {
        status: duplicate ? ('duplicate' as const) : ('accepted' as const),
        idempotency_key: idempotencyKey,
        event_id: eventId,
      }
    },
  })
}

function switchedOn(deps: EventRouteDeps | undefined): EventRouteDeps {
  if (deps === undefined) throw new Refusal('eventing_disabled')
  return deps
}

function checkSender(request: FastifyRequest, deps: EventRouteDeps | undefined): void {
  const { ingestToken } = switchedOn(deps)
  if (ingestToken !== undefined && !presentsToken(request, ingestToken))
    throw new Refusal('invalid_token', 'Sending events needs the ingest token as a bearer token.')
}

/** Takes the media types of events, without parsing their bodies. */
function takeEvents(app: App): void {
  takeBodies(app, ['application/json', cloudEventType], utf8Text)
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const otherType = error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE'
    answerError(otherType ? new Refusal('invalid_request', mediaTypes) : error, request, reply)
  })
}

const mediaTypes = `The Content-Type must be application/json or ${cloudEventType}, with one event in a request.`
