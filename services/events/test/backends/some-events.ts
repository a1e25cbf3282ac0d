import type { OutgoingEvent } from '../../src/envelopes/backend.ts'
import type { Envelope } from '../../src/envelopes/envelope.ts'
import { ownEvent } from '../events.ts'

/** An event type that no engine accepts unchanged. */
const oddType = 'com.example.Order placed/*.>#$ ü'
let made = 0

/** Events that differ from all others; some have values that are hard to transport. */
export function someEvents(count: number): OutgoingEvent[] {
  return Array.from({ length: count }, () => {
    made += 1
    const number = made.toString(16).padStart(12, '0')
    const odd = made % 3 === 0
    const envelope: Envelope = {
      event: {
        id: `5f0f2c3e-7f2f-4a5e-8a43-${number}`,
        event_type: odd ? oddType : 'token_created',
        timestamp: '2026-01-02T03:04:05.678Z',
        severity: 'info',
        client_id: 'client-ü',
        metadata: { number: made, text: 'ü\n"%' },
      },
      correlation_id: `c0ffee00000000000000${number}`,
      producer: odd ? 'external' : 'token',
      produced_at: '2026-01-02T03:04:05.999Z',
      idempotency_key: odd ? `key ü % ${number}` : `key-${number}`,
      traceparent: `00-c0ffee00000000000000${number}-00f067aa0ba902b7-01`,
      ...(odd && { tracestate: 'vendor=value,other=1' }),
      attributes: odd ? { source: 'urn:shop', subject: 'Bücher & "more" 100%' } : {},
    }
    return ownEvent(envelope, 'https://issuer.example')
  })
}
