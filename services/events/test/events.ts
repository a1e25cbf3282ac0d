import type { OutgoingEvent } from '../src/envelopes/backend.ts'
import type { Envelope } from '../src/envelopes/envelope.ts'
import { outgoingEvent } from '../src/outbox/outgoing.ts'
import { partiesOf, partyNames } from '../src/outbox/parties.ts'
import type { Submission } from '../src/outbox/submission.ts'

export const issuer = 'https://auth.example'

/** An envelope with defaults for the fields that a test does not set. */
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

/** An event of our own to be delivered. */
export const ownEvent = (envelope: Envelope, base = issuer): OutgoingEvent =>
  outgoingEvent(() => envelope, base, {
    key: envelope.event.id,
    parties: partyNames(partiesOf(envelope)),
    size: JSON.stringify(envelope).length,
  })

/** This many events to be delivered. */
export function someEvents(count: number): OutgoingEvent[] {
  return Array.from({ length: count }, () => {
    const envelope = someEnvelope()
    return ownEvent(envelope)
  })
}

/** An event of our own whose envelope cannot be read. */
export const unreadableEvent = (): OutgoingEvent =>
  outgoingEvent(() => JSON.parse('{'), issuer, { key: crypto.randomUUID(), parties: [], size: 1 })

/** A submission with this body and defaults for the fields that a test does not set. */
export function someSubmission(body: unknown, changes: Partial<Submission> = {}): Submission {
  return {
    contentType: 'application/json',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    cloudEventAttributes: {},
    senderProven: false,
    ...changes,
  }
}
