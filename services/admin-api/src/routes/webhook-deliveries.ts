import type { App } from '@gatehouse/http/app'
import { type WebhookDelivery, WebhookDeliveryState } from '@gatehouse/proto/events/v1'
import { Type } from '@gatehouse/proto/typebox'
import type { AdminDeps } from '../deps.ts'
import { listRoute } from '../list.ts'
import { operationRoute } from '../operation.ts'
import { done, moment, momentOf } from '../schemas.ts'
import { readTimes, timeFilters } from '../time-filter.ts'

/** The names of the states, each with the value of the service. */
const states = {
  waiting: WebhookDeliveryState.WEBHOOK_DELIVERY_STATE_WAITING,
  delivered: WebhookDeliveryState.WEBHOOK_DELIVERY_STATE_DELIVERED,
  failed: WebhookDeliveryState.WEBHOOK_DELIVERY_STATE_FAILED,
  refused: WebhookDeliveryState.WEBHOOK_DELIVERY_STATE_REFUSED,
} as const
type StateName = keyof typeof states
const stateNames = Object.keys(states) as StateName[]

const deliveryFields = {
  event_id: Type.String({
    format: 'uuid',
    description: 'The header `webhook-id`, the same at each attempt.',
  }),
  event_type: Type.String(),
  client_id: Type.Optional(Type.String({ description: 'Absent if the event is about no client.' })),
  user_id: Type.Optional(Type.String({ description: 'Absent if the event is about no user.' })),
  state: Type.Enum(stateNames, {
    description:
      '`waiting`: an administrator sends it. `failed`: the last attempt failed, and it is sent again. `refused`: the receiver refused it, and it is not sent again.',
  }),
  attempts: Type.Integer({ description: 'How often it was posted.' }),
  status: Type.Optional(
    Type.Integer({ description: 'The HTTP status of the last answer; absent if none came.' }),
  ),
  failure: Type.Optional(Type.String({ description: 'Why the last attempt failed; absent if it did not.' })),
  duration_ms: Type.Optional(
    Type.Integer({ description: 'How long the last attempt took, in milliseconds.' }),
  ),
  changed_at: moment('When the state last changed.'),
}
const deliverySchema = Type.Object(deliveryFields, { title: 'WebhookDelivery' })
const deliveryWithBodySchema = Type.Object(
  { ...deliveryFields, body: Type.String({ description: 'The posted body: a CloudEvent as JSON.' }) },
  { title: 'WebhookDeliveryWithBody' },
)
const example = {
  event_id: '0f1d4a52-6a53-4c0e-9d51-000000000001',
  event_type: 'token_created',
  client_id: '<CLIENT_ID>',
  state: 'refused',
  attempts: 1,
  status: 422,
  failure: 'the receiver answered 422',
  duration_ms: 12,
  changed_at: '2026-01-01T00:00:00.000Z',
}

/** /admin/api/webhook-deliveries. */
export function webhookDeliveryRoutes(app: App, { events }: AdminDeps): void {
  listRoute(app, {
    url: '/webhook-deliveries',
    operationId: 'listWebhookDeliveries',
    summary: 'List the events that were posted to the webhook, newest first',
    description:
      'Of each state the newest 100,000 are kept, for 7 days. New ones are listed after a second. Empty while eventing is off.',
    filters: {
      event_type: Type.Optional(Type.String({ description: 'Only events of this type.' })),
      client_id: Type.Optional(Type.String({ description: 'Only events about this client.' })),
      user_id: Type.Optional(Type.String({ description: 'Only events about this user.' })),
      state: Type.Optional(Type.Enum(stateNames)),
      ...timeFilters,
    },
    item: deliverySchema,
    answer: 'The deliveries.',
    example,
    async find({ event_type: eventType, client_id: clientId, user_id: userId, ...wanted }) {
      const { cursor, limit, state: name, ...times } = wanted
      const state = name ? states[name] : WebhookDeliveryState.WEBHOOK_DELIVERY_STATE_UNSPECIFIED
      const { deliveries, nextCursor } = await events.listWebhookDeliveries({
        cursor,
        limit,
        eventType: eventType || undefined,
        clientId: clientId || undefined,
        userId: userId || undefined,
        state,
        ...readTimes(times),
      })
      return { items: deliveries.map(deliveryBody), nextCursor }
    },
  })

  operationRoute(app, {
    route: 'GET /webhook-deliveries/:event_id',
    operationId: 'getWebhookDelivery',
    summary: 'Get what was posted to the webhook of an event',
    answer: { 200: deliveryWithBodySchema },
    refusals: ['not_found', 'eventing_disabled'],
    async perform({ params }) {
      const { delivery, body } = await events.getWebhookDelivery({ eventId: params.event_id })
      if (delivery === undefined) throw new Error('the service gave no delivery')
      return { ...deliveryBody(delivery), body }
    },
  })

  operationRoute(app, {
    route: 'POST /webhook-deliveries/:event_id/retry',
    operationId: 'retryWebhookDelivery',
    summary: 'Send an event to the webhook again',
    description: 'The header `webhook-id` is the same, so that a receiver recognizes an event that it has.',
    answer: done('The event will be sent.'),
    refusals: ['not_found', 'eventing_disabled'],
    perform: ({ params, actor }) => events.retryWebhookDelivery({ eventId: params.event_id, actor }),
  })

  operationRoute(app, {
    route: 'POST /webhook-deliveries/test',
    operationId: 'testWebhook',
    summary: 'Send a test event to the webhook',
    description: 'The event has the type `webhook_test`. No other backend gets it.',
    answer: {
      202: Type.Object(
        { event_id: Type.String({ format: 'uuid' }) },
        {
          title: 'WebhookTestResult',
          description: 'The event will be sent.',
          examples: [{ event_id: example.event_id }],
        },
      ),
    },
    refusals: ['eventing_disabled'],
    async perform({ actor }) {
      const { eventId } = await events.testWebhook({ actor })
      return { event_id: eventId }
    },
  })
}

function deliveryBody({ state, changedAt, ...delivery }: WebhookDelivery) {
  const { clientId, userId, status, failure, durationMs } = delivery
  return {
    event_id: delivery.eventId,
    event_type: delivery.eventType,
    ...(clientId !== undefined && { client_id: clientId }),
    ...(userId !== undefined && { user_id: userId }),
    state: stateNames.find((name) => states[name] === state) ?? 'waiting',
    attempts: delivery.attempts,
    ...(status !== undefined && { status }),
    ...(failure !== undefined && { failure }),
    ...(durationMs !== undefined && { duration_ms: durationMs }),
    changed_at: momentOf(changedAt),
  }
}
