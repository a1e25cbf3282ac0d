import type { OutgoingEvent } from '../src/backend.ts'
import type { Envelope } from '../src/envelope.ts'
import { outgoingEvent } from '../src/outgoing.ts'
import type { Submission } from '../src/submission.ts'

export const issuer = 'https://auth.example'

/** An envelope with what a test does not say otherwise. */
export function someEnvelope(changes: Partial<Envelope> = {}): Envelope {
  const id = crypto.randomUUID()
  return {
    event: {
      id,
      event_type: 'token_created',
      timestamp: '2026-01-01T00:00:00.000Z',
      severity: 'info',
      client_id: 'client_a',
      metadata: { scope: 'read' },
    },
    producer: 'token',
    produced_at: '2026-01-01T00:00:00.100Z',
    idempotency_key: id,
    attributes: {},
    ...changes,
  }
}

/** So many events on their way out. */
export function someEvents(count: number): OutgoingEvent[] {
  return Array.from({ length: count }, () => {
    const envelope = someEnvelope()
    return outgoingEvent(() => envelope, issuer)
  })
}

/** An event of our own whose line is no JSON. */
export const unreadableEvent = (): OutgoingEvent => outgoingEvent(() => JSON.parse('{'), issuer)

/** A submission with this body and what a test does not say otherwise. */
export function someSubmission(body: unknown, changes: Partial<Submission> = {}): Submission {
  return {
    contentType: 'application/json',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    idempotencyKey: '',
    cloudEventAttributes: {},
    senderProven: false,
    traceparent: '',
    tracestate: '',
    correlationId: '',
    ...changes,
  }
}
