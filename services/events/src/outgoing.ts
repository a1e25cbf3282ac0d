import type { OutgoingEvent } from './backend.ts'
import { type CloudEventAttributes, cloudEventAttributes } from './cloud-event.ts'
import type { Envelope } from './envelope.ts'

/**
 * An event to be delivered. Each form of it is made once, when a backend first needs it: most events that are only held in
 * memory are never read.
 */
class LazyEvent implements OutgoingEvent {
  readonly #make: () => Envelope
  readonly #issuer: string
  #envelope: Envelope | undefined
  #json: string | undefined
  #attributes: CloudEventAttributes | undefined
  readonly wasSetAside: boolean

  constructor(make: () => Envelope, issuer: string, json?: string, wasSetAside = false) {
    this.wasSetAside = wasSetAside
    this.#make = make
    this.#issuer = issuer
    this.#json = json
  }

  get envelope(): Envelope {
    this.#envelope ??= this.#make()
    return this.#envelope
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
export function outgoingEvent(make: () => Envelope, issuer: string): OutgoingEvent {
  return new LazyEvent(make, issuer)
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
 * Prepares an event from the outbox for delivery.
 * @param stored its envelope as JSON, and whether it was set aside before
 * @param issuer see `cloudEventAttributes`
 */
export function storedEvent(
  { json, wasSetAside }: { json: string; wasSetAside?: boolean },
  issuer: string,
): OutgoingEvent {
  return new LazyEvent(() => JSON.parse(json), issuer, json, wasSetAside)
}
