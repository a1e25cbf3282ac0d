import { Type } from '@gatehouse/proto/typebox'

const text = (description: string) => Type.Optional(Type.String({ description }))
const moment = (description: string) => Type.String({ format: 'date-time', description })
const severity = Type.Enum(['info', 'warning', 'error'])
const extensions = Type.Record(Type.String(), Type.String(), {
  description: 'Attributes without a field of their own, such as the extensions of a CloudEvent.',
})
const metadata = Type.Record(Type.String(), Type.Unknown(), {
  description: 'Further details, nested at most 64 levels deep.',
})

/** An event as a sender may submit it. */
export const submittedEnvelope = Type.Object(
  {
    event: Type.Object({
      event_type: Type.String({ description: 'What happened, such as `order_paid`.' }),
      id: text('The sender’s own id. A UUID becomes the id of the event.'),
      timestamp: Type.Optional(moment('When it happened; by default now.')),
      severity: Type.Optional(severity),
      user_id: text('The user whom the event is about.'),
      client_id: text('The client that the event is about.'),
      error: text('An error code.'),
      metadata: Type.Optional(metadata),
    }),
    correlation_id: text('Shared by everything that belongs to one request.'),
    producer: text('The sender’s name; used only when the sender presents the ingest token.'),
    idempotency_key: text('The idempotency key; the header `Idempotency-Key` takes precedence.'),
    traceparent: text('The trace that the event belongs to, instead of the request’s (W3C Trace Context).'),
    tracestate: Type.Optional(Type.String()),
    attributes: Type.Optional(extensions),
  },
  {
    title: 'SubmittedEvent',
    examples: [
      {
        event: {
          event_type: 'order_paid',
          timestamp: '2026-01-01T00:00:00Z',
          user_id: '019b7a5e-0000-7000-8000-000000000002',
          metadata: { order: 'A-1001', amount: 4200 },
        },
        idempotency_key: 'order-A-1001-paid',
      },
    ],
  },
)

/** A CloudEvent 1.0 in the JSON format. */
export const submittedCloudEvent = Type.Object(
  {
    specversion: Type.Literal('1.0'),
    id: Type.String({ description: 'Unique among the events of the same source.' }),
    source: Type.String(),
    type: Type.String(),
    time: Type.Optional(Type.String({ format: 'date-time' })),
    subject: Type.Optional(Type.String({ minLength: 1, maxLength: 2_000 })),
    datacontenttype: Type.Optional(Type.String()),
    data: Type.Optional(Type.Unknown({ description: 'Nested at most 64 levels deep.' })),
  },
  {
    title: 'CloudEvent',
    additionalProperties: true,
    examples: [
      {
        specversion: '1.0',
        id: 'A-1001',
        source: 'https://shop.example/orders',
        type: 'order_paid',
        time: '2026-01-01T00:00:00Z',
        data: { amount: 4200 },
      },
    ],
  },
)
