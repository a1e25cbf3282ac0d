import type { OutgoingEvent } from '../envelopes/backend.ts'
import { type CloudEventAttributes, cloudEventAttributes } from '../envelopes/cloud-event.ts'
import type { Envelope } from '../envelopes/envelope.ts'
import type { StoredEvent } from './outbox.ts'

/** The facts about an event that are known without reading it. */
export type EventHead = Pick<OutgoingEvent, 'key' | 'parties' | 'size' | 'wasSetAside'>

/**
 * An event to be delivered. Its JSON and its attributes are made once, when a backend first needs them: most events that are only
 * held in memory are never read. Its envelope is made each time, because a text of 60 KB may become objects of 1 MB.
 */
class LazyEvent implements OutgoingEvent {
  readonly #make: () => Envelope
  readonly #issuer: string
  #json: string | undefined
  #attributes: CloudEventAttributes | undefined
  readonly key: string
  readonly parties: readonly string[]
  readonly size: number
  readonly wasSetAside: boolean

  constructor(make: () => Envelope, issuer: string, head: EventHead, json?: string) {
    this.key = head.key
    this.parties = head.parties
    this.size = head.size
    this.wasSetAside = head.wasSetAside
    this.#make = make
    this.#issuer = issuer
    this.#json = json
  }

  get envelope(): Envelope {
    return this.#make()
  }

  get json(): string {
    this.#json ??= JSON.stringify(this.envelope)
    return this.#json
  }

  get attributes(): CloudEventAttributes {
    this.#attributes ??= cloudEventAttributes(this.envelope, this.#issuer)
    return this.#attributes
  }
}

/**
 * Prepares one of our own events for delivery.
 * @param make gives its envelope, always the same
 * @param issuer see `cloudEventAttributes`
 */
export function outgoingEvent(
  make: () => Envelope,
  issuer: string,
  head: Omit<EventHead, 'wasSetAside'>,
): OutgoingEvent {
  return new LazyEvent(make, issuer, { ...head, wasSetAside: false })
}

/** Whether every form of an event can be made. */
export function isReadable(event: OutgoingEvent): boolean {
  try {
    return event.json !== '' && event.attributes.id !== ''
  } catch {
    return false
  }
}

/**
 * Prepares an event from the outbox for delivery. Its key is its position there.
 * @param issuer see `cloudEventAttributes`
 */
export function storedEvent(
  { position, json, parties, wasSetAside }: StoredEvent,
  issuer: string,
): OutgoingEvent {
  const head = { key: position, parties, size: json.length, wasSetAside }
  return new LazyEvent(() => JSON.parse(json), issuer, head, json)
}
