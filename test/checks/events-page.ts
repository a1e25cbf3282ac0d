import { type EventContent, eventTypes } from '@gatehouse/proto/event-types'
import { cloudEventAttributes } from '../../services/events/src/cloud-event.ts'
import { type Envelope, envelopeOf } from '../../services/events/src/envelope.ts'

const issuer = 'https://auth.example.com'
const time = Date.parse('2026-01-01T12:00:00.000Z')
const id = '7b0e1c52-9d3f-4a6b-8c1d-00000000002a'
const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

const opening = `<!-- Written by npm run generate. Change test/checks/events-page.ts or proto/event-types.ts. -->

# Events

What happens in Gatehouse can be told to the engine that you already run: who got a token, who logged in, which client was
deleted. Your own programs can add theirs. It is off until \`OAUTH2_EVENTS_ENABLED=true\`.

| You want | Read |
|---|---|
| them in Redis Streams, RabbitMQ, NATS or Kafka | [backends](events-backends.md) |
| them posted to a URL | [webhooks](webhooks.md) |
| to send events of your own through Gatehouse | [sending events](events-ingest.md) |
| every variable | [configuration](configuration.md), those that begin with \`OAUTH2_EVENTS_\` |

## What is promised

- **Issuing comes first.** Events of Gatehouse’s own wait in memory, in a queue that is bounded, and are sent in batches
  beside the requests. With the events service or a backend down, nothing else becomes slower; what waits is sent when they
  are back, and what is too much is dropped and counted in \`oauth2_server_events_dropped_total\`. A process that is killed
  loses what waited in it. Who needs a record without gaps of what administrators do, reads the audit log.
- **What was accepted from outside is delivered.** \`POST /events/ingest\` answers 202 when the event is in PostgreSQL. It
  stays there until every backend has it, whatever is restarted meanwhile, for seven days.
- **At least once.** An engine that confirmed nothing gets an event again, with the same id. Consumers should look at the id.
- **In order** from one process to one backend, but for what is sent again. Events from outside are delivered in the order in
  which they came.
- **No secrets.** No event has a token, a code, a secret or a password in it. Of a failed login the name that was typed is not told either: it may be a password in the wrong field.

A backend that fails is logged once and tried again, soon at first, then every ten seconds; the others go on.
\`GET /events/health\` says which are healthy, \`oauth2_server_events_published_total{backend,outcome}\` how it goes.

## Which events

\`OAUTH2_EVENTS_FILTER_MODE\` is \`allow_all\`, \`include\` (only those that \`OAUTH2_EVENTS_TYPES\` names) or \`exclude\` (all but
those). It concerns Gatehouse’s own events. The busy ones are \`token_created\`, \`client_validated\` and \`token_validated\`:
one for each token that is issued or asked about.

| Type | Emitted when | Severity | By |
|---|---|---|---|
${Object.entries(eventTypes)
  .map(
    ([type, { when, severity, producer }]) =>
      `| [${type}](#${type}) | ${when} | ${severity} | ${producer === 'all' ? 'the service whose data it is' : producer} |`,
  )
  .join('\n')}

## What an event looks like

Every event leaves as a [CloudEvent 1.0](https://github.com/cloudevents/spec) whose data is this envelope:

| Field | What it is |
|---|---|
| \`event.id\` | a UUID, also when the event is sent again |
| \`event.event_type\`, \`event.timestamp\`, \`event.severity\` | what happened, when, and whether it is \`info\`, \`warning\` or \`error\` |
| \`event.user_id\`, \`event.client_id\`, \`event.error\` | whom it concerns, and the code of what went wrong; absent where there is none |
| \`event.metadata\` | the rest, by type |
| \`producer\` | the service that emitted it; \`external\` for an event from outside whose sender did not show the ingest token |
| \`produced_at\` | when it reached the events service |
| \`idempotency_key\` | what it is told from others by |
| \`correlation_id\`, \`traceparent\`, \`tracestate\` | the request in which it happened; absent where it was not traced |
| \`attributes\` | what the sender of an event from outside added |

As a CloudEvent its attributes are, for \`token_created\`:

\`\`\`json
${JSON.stringify(cloudEventAttributes(exampleOf('token_created', eventTypes.token_created.example), issuer), null, 2)}
\`\`\`

An event from outside may have the type of one of ours; its \`producer\` says that it is none.
`

function exampleOf(
  eventType: string,
  { userId = '', clientId = '', error = '', metadata }: EventContent,
): Envelope {
  const producer = eventTypes[eventType as keyof typeof eventTypes].producer
  return envelopeOf(
    {
      ...{ eventType, timeMs: time, userId, clientId, error, traceparent, tracestate: '' },
      metadata: JSON.stringify(metadata),
    },
    { id, producer: producer === 'all' ? 'client-registry' : producer, now: time + 104 },
  )
}

/** docs/events.md: what is promised, and every event type with the envelope that the very code of the service makes. */
export function eventsPage(): string {
  const sections = Object.entries(eventTypes).map(
    ([type, { when, example }]) => `### ${type}

Emitted when ${when}.

\`\`\`json
${JSON.stringify(exampleOf(type, example), null, 2)}
\`\`\`
`,
  )
  return `${opening}\n## Every type\n\n${sections.join('\n')}`
}
