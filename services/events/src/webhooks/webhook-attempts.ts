import { storable } from '@gatehouse/kit/storable'
import type { OutgoingEvent, WebhookAttempt } from '../envelopes/backend.ts'

/** The record of an event that was posted. */
export type PostedEvent = {
  eventId: string
  eventType: string
  /** undefined if the event is about no client or no user. */
  clientId: string | undefined
  userId: string | undefined
  /** The last attempt. */
  last: WebhookAttempt
  /** How many attempts there were since the last time that they were stored. */
  attempts: number
  /** The envelope as JSON. */
  envelope: string
}

/** The needs of createAttemptLog. */
export type AttemptLogDeps = {
  add(posted: readonly PostedEvent[]): Promise<void>
  /** Called with the number of events that could not be remembered, because too many wait. */
  leftOut(count: number): void
}

/** Remembers attempts until they are stored. */
export type AttemptLog = {
  /** Never fails and does not block. */
  note(event: OutgoingEvent, attempt: WebhookAttempt): void
  /** Stores what was noted. Throws when the database is away; then it stays noted. */
  write(): Promise<void>
}

/** How many events wait to be stored at the most, and how many characters their envelopes have together. */
const mostWaiting = 10_000
const mostCharacters = 16_000_000

/**
 * Stores how events were posted, beside the posting itself, which must not wait for the database. An event has one entry, however
 * often it was posted.
 */
export function createAttemptLog({ add, leftOut }: AttemptLogDeps): AttemptLog {
  let waiting = new Map<string, PostedEvent>()
  let characters = 0
  let missed = 0

  /** Adds what happened earlier to an event, if anything is noted. */
  const merge = (posted: PostedEvent, into: Map<string, PostedEvent>) => {
    const noted = into.get(posted.eventId)
    // Senders may give an id of their choice. Nobody changes the entry of another event by that.
    if (noted !== undefined && noted.envelope !== posted.envelope) return
    if (noted !== undefined)
      into.set(posted.eventId, { ...posted, attempts: posted.attempts + noted.attempts })
    else if (into.size >= mostWaiting || characters + posted.envelope.length > mostCharacters) missed += 1
    else {
      characters += posted.envelope.length
      into.set(posted.eventId, posted)
    }
  }

  return {
    note(event, last) {
      const { id, event_type: eventType, client_id, user_id } = event.envelope.event
      const about = {
        eventType: storable(eventType),
        clientId: client_id && storable(client_id),
        userId: user_id && storable(user_id),
      }
      merge({ eventId: id, ...about, last, attempts: 1, envelope: storable(event.json) }, waiting)
    },

    async write() {
      if (waiting.size > 0) {
        const writing = waiting
        waiting = new Map()
        try {
          await add([...writing.values()])
          characters -= charactersOf(writing)
        } catch (error) {
          const later = waiting
          waiting = writing
          characters = charactersOf(writing)
          for (const posted of later.values()) merge(posted, waiting)
          throw error
        }
      }
      if (missed > 0) leftOut(missed)
      missed = 0
    },
  }
}

function charactersOf(posted: ReadonlyMap<string, PostedEvent>): number {
  return [...posted.values()].reduce((sum, { envelope }) => sum + envelope.length, 0)
}
