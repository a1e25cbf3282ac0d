import { type EventContent, eventTypes } from '@gatehouse/proto/event-types'
import { cloudEventAttributes } from '../services/events/src/envelopes/cloud-event.ts'
import { type Envelope, envelopeOf } from '../services/events/src/envelopes/envelope.ts'

const issuer = 'https://auth.example.com'
const time = Date.parse('2026-01-01T12:00:00.000Z')
const id = '7b0e1c52-9d3f-4a6b-8c1d-00000000002a'
const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

const opening = `<!-- Written by npm run generate. Change tools/events-page.ts or proto/event-types.ts. -->

# Events

Gatehouse can send events to the engine that you already run: who got a token, who logged in, which client was deleted. Your own
programs can add theirs. Eventing is off unless \`OAUTH2_EVENTS_ENABLED=true\`.

| You want | Read |
|---|---|
| events in Redis Streams, RabbitMQ, NATS or Kafka | [backends](backends.md) |
| events posted to a URL | [webhooks](webhooks.md) |
| to send your own events through Gatehouse | [sending events](ingest.md) |
| every variable | [configuration](../reference/configuration.md), the names that begin with \`OAUTH2_EVENTS_\` |

## What is promised

- **Issuing comes first.** Gatehouse’s own events wait in memory, in a bounded queue, and are sent in batches beside the requests.
  If the events service or a backend is unavailable, nothing else becomes slower. Waiting events are sent when it is back; when there
  are too many, they are dropped and counted in \`oauth2_server_events_dropped_total\`. If a process is killed, the events that
  waited in it are lost. One that stops waits two seconds for a backend; then it drops the events, and its log says how many.
- **Each audit entry has its event.** It is stored in the transaction of the entry and of the change, and stays in PostgreSQL until every
  backend has it, for at most seven days: \`administrator_acted\`, or for what users and clients do to themselves \`data_downloaded\`,
  \`account_deleted\`, \`client_updated\`, and \`client_deleted\` and \`client_registered\` of clients that are their own actors. Events about
  connections and domains of organizations are kept in the same way.
- **Accepted events from outside are delivered.** \`POST /events/ingest\` answers 202 when the event is in PostgreSQL. It stays there
  until every backend has it, whatever restarts in between, for at most seven days.
- **At least once.** If an engine does not confirm an event, it gets the event again, with the same id. Consumers should check the id,
  and the source of events from outside: their senders may give the same id.
- **In order** from one process to one backend, except for events that are sent again, and those that are stored with a change. Events from outside are delivered in the order
  in which they arrived. A [webhook](webhooks.md) gets only the events of each client and each user in their order.
- **No secrets.** No event contains a token, a code, a secret or a password. The event of a failed login does not contain the name that
  was typed either, because it may be a password in the wrong field.

A backend that fails is logged once and tried again, soon at first, later every ten seconds; the others continue.
\`GET /events/health\` shows which backends are healthy, and \`oauth2_server_events_published_total{backend,outcome}\` counts the events.

## Which events

\`OAUTH2_EVENTS_FILTER_MODE\` is \`allow_all\`, \`include\` (only the types in \`OAUTH2_EVENTS_TYPES\`) or \`exclude\` (all
but those). It applies to Gatehouse’s own events. The most frequent are \`token_created\`, \`client_validated\` and
\`token_validated\`: one for each token that is issued or introspected.

| Type | Emitted when | Severity | By |
|---|---|---|---|
${Object.entries(eventTypes)
  .map(
    ([type, { when, severity, producer }]) =>
      `| [${type}](#${type}) | ${when} | ${severity} | ${producer === 'all' ? 'the service whose data it is' : producer} |`,
  )
  .join('\n')}

## What an event looks like

Every event is sent as a [CloudEvent 1.0](https://github.com/cloudevents/spec) whose data is this envelope:

| Field | What it is |
|---|---|
| \`event.id\` | a UUID, which stays the same when the event is sent again |
| \`event.event_type\`, \`event.timestamp\`, \`event.severity\` | what happened, when, and whether it is \`info\`, \`warning\` or \`error\` |
| \`event.user_id\`, \`event.client_id\`, \`event.error\` | the user and the client concerned, and the error code; absent if there is none |
| \`event.metadata\` | more, depending on the type |
| \`producer\` | the service that emitted it; \`external\` for an event from outside whose sender did not present the ingest token |
| \`produced_at\` | when it reached the events service |
| \`idempotency_key\` | identifies the event, so that it is accepted only once |
| \`correlation_id\`, \`traceparent\`, \`tracestate\` | the request in which it happened; absent if the request was not traced |
| \`attributes\` | what the sender of an event from outside added |

The attributes of the CloudEvent, for \`token_created\`:

\`\`\`json
${JSON.stringify(cloudEventAttributes(exampleOf('token_created', eventTypes.token_created.example), issuer), null, 2)}
\`\`\`

An event from outside may have a type of Gatehouse’s own; its \`producer\` shows where it comes from.
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

/** docs/events/events.md: what eventing promises, and every event type with an envelope made by the events service's own code. */
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
