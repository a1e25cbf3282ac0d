import { type Emit, emittedEvent } from '@gatehouse/kit/events/emission'
import type { EventType } from '@gatehouse/proto/event-types'
import type { OutgoingEvent } from '../envelopes/backend.ts'
import { envelopeOf } from '../envelopes/envelope.ts'
import { headOf } from './emitted.ts'
import { outgoingEvent } from './outgoing.ts'

/** The needs of createOwnEmission. */
export type OwnEmissionDeps = {
  /** The types that are emitted. */
  types: ReadonlySet<EventType>
  /** OAUTH2_SERVER_PUBLIC_BASE_URL. */
  issuer: string
  /** Gives events to the backends. */
  offer(events: readonly OutgoingEvent[]): void
  randomUuid(): string
}

/** Emits the events of the events service itself: they go to its backends without a call. */
export function createOwnEmission({ types, issuer, offer, randomUuid }: OwnEmissionDeps): Emit {
  return (type, content) => {
    if (!types.has(type)) return
    const event = emittedEvent(type, content)
    const envelope = envelopeOf(event, { id: randomUuid(), producer: 'events', now: event.timeMs })
    offer([outgoingEvent(() => envelope, issuer, headOf(event, envelope.event.id))])
  }
}
