import { Refusal } from '@gatehouse/kit/errors'
import { type EmittedEvent, envelopeOf } from '../envelopes/envelope.ts'
import { type TakenEvent, takenEvent } from './submission.ts'

/**
 * Prepares one of our own events for the outbox. No event from outside has its identity.
 * @param origin its id, the service, and now in milliseconds since the Unix epoch
 * @throws Refusal invalid_request when it is missing or too long
 */
export function ownEvent(
  event: EmittedEvent | undefined,
  origin: { id: string; producer: string; now: number },
): TakenEvent {
  if (event === undefined) throw new Refusal('invalid_request', 'The event is missing.')
  return takenEvent(envelopeOf(event, origin), `own event\n${origin.id}`)
}
