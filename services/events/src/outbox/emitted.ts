import type { OutgoingEvent } from '../envelopes/backend.ts'
import { type EmittedEvent, envelopeOf } from '../envelopes/envelope.ts'
import { outgoingEvent } from './outgoing.ts'
import { partyNames } from './parties.ts'

/** Events that one of our own processes emitted, in their order. */
export type EmittedEvents = {
  /** Identifies the process since its start: a UUID that ends in 12 zeros. */
  emitter: string
  /** The number of the first event, counted from 1. */
  firstNumber: number
  /** The service. */
  producer: string
  events: readonly EmittedEvent[]
}

/** Accepts the events that our own processes emit, each event once. */
export type Reception = (emitted: EmittedEvents) => OutgoingEvent[]

/** A process that has sent nothing for this long counts as ended, in milliseconds. */
const forgottenAfter = 600_000

/**
 * Turns emitted events into outgoing ones, without those that were received before: a process whose call got no answer
 * sends its events again.
 * @param issuer the base of the events' `source`
 * @param now milliseconds since the Unix epoch
 */
export function createReception(issuer: string, now: () => number): Reception {
  const heard = new Map<string, { number: number; time: number }>()

  return ({ emitter, firstNumber, producer, events }) => {
    const time = now()
    const last = heard.get(emitter)?.number ?? 0
    const fresh = events.slice(Math.max(0, last + 1 - firstNumber))
    const firstFresh = firstNumber + events.length - fresh.length
    heard.delete(emitter)
    heard.set(emitter, { number: Math.max(last, firstNumber + events.length - 1), time })
    for (const [name, { time: heardAt }] of heard) {
      if (heardAt >= time - forgottenAfter) break
      heard.delete(name)
    }
    const idOf = (number: number) => emitter.slice(0, -12) + number.toString(16).padStart(12, '0')
    return fresh.map((event, index) => {
      const id = idOf(firstFresh + index)
      return outgoingEvent(() => envelopeOf(event, { id, producer, now: time }), issuer, headOf(event, id))
    })
  }
}

/** The facts about an event of our own that are known before it is read. */
export function headOf({ clientId: client, userId: user, metadata }: EmittedEvent, id: string) {
  return { key: id, parties: partyNames({ client, user }), size: metadata.length }
}
