import { ConfigurationError } from '@gatehouse/kit/config/config'
import type { Logger } from '@gatehouse/kit/telemetry/log'
import type { Static, TObject, TProperties } from '@gatehouse/proto/typebox'
import type { CloudEventAttributes } from './cloud-event.ts'
import type { Envelope } from './envelope.ts'

/** An event to be delivered: a CloudEvent whose data is its envelope. */
export type OutgoingEvent = {
  /** Tells it from the others that wait for the backend: its id, or its position in the outbox. */
  readonly key: string
  /** The parties that it is about: events that share one are delivered in their order. Empty for an event that has no order. */
  readonly parties: readonly string[]
  /** About how many characters it takes in memory. */
  readonly size: number
  /** Read anew each time, and never kept: see `LazyEvent`. */
  readonly envelope: Envelope
  /** The envelope as JSON. */
  readonly json: string
  /** The attributes that headers carry in binary content mode, each with the engine's prefix. */
  readonly attributes: CloudEventAttributes
  /** Whether it was set aside before. */
  readonly wasSetAside: boolean
}

/** The outcome of events where an engine may set events aside, and need not take them from the first one on. */
export type Delivered = {
  /** Those that are taken or refused, also of earlier deliveries. */
  settled: ReadonlySet<OutgoingEvent>
  /** Events that it does not take although it takes others, so that those need not wait. They are delivered again later. */
  aside: readonly EventSetAside[]
}

/** The answer of an engine, whichever form it has. */
export function deliveredOf(answer: number | Delivered, events: readonly OutgoingEvent[]): Delivered {
  return typeof answer === 'number' ? { settled: new Set(events.slice(0, answer)), aside: [] } : answer
}

/** An event that is delivered again after some time, in milliseconds. */
export type EventSetAside = { event: OutgoingEvent; forMs: number }

/** An engine that events are delivered to. It connects by itself, and reconnects when the connection is lost. */
export type Backend = Pick<Way, 'deliver'> & {
  /** As in a way; without it a backend takes events from the first one on, and some that fail stop those behind them. */
  isFailing?(): boolean
  /** As in a way. */
  unordered?(): readonly string[]
  /**
   * The way for events from outside, where neither they nor our own are to wait for the others; without it both take turns. It delivers
   * beside `deliver`.
   */
  readonly stored?: Way
  /** Whether the last delivery or connection attempt succeeded. Never throws. */
  isHealthy(): boolean
  /** Closes the connection. */
  close(): Promise<void>
}

/** How events get to an engine. */
export type Way = {
  /**
   * Delivers events in their order. After a failure it may be called again with the same events, so an engine may get an
   * event twice. Only one call is made at a time.
   * @param signal aborted when the caller no longer waits
   * @returns how many events, counted from the first, need not be sent again, at least one; or which, maybe none yet
   * @throws when not even the first event is known to be delivered
   */
  deliver(events: readonly OutgoingEvent[], signal: AbortSignal): Promise<number | Delivered>
  /** Whether some of the events failed and are still to be delivered. */
  isFailing(): boolean
  /** The parties whose events have no order now. */
  unordered(): readonly string[]
}

/** How an event was posted to the webhook. */
export type WebhookAttempt = {
  /** `failed`: it is posted again. `refused`: it is not. */
  outcome: 'delivered' | 'failed' | 'refused'
  /** The HTTP status of the answer; undefined without one. */
  status: number | undefined
  /** Why it failed, in one line; undefined if it did not. */
  failure: string | undefined
  /** When it ended, in milliseconds since the Unix epoch. */
  at: number
  /** How long it took, in milliseconds. */
  durationMs: number
}

/** The needs of a backend. */
export type BackendDeps = {
  log: Logger
  /** OAUTH2_SERVER_PUBLIC_BASE_URL. */
  issuer: string
  /** The events that in_memory holds. */
  ring: { push(events: readonly OutgoingEvent[]): void }
  /** Called for an event that the engine refused for good; it is not sent again. */
  refused(event: OutgoingEvent, reason: string): void
  /** Called for each event that the webhook posted. */
  attempted(event: OutgoingEvent, attempt: WebhookAttempt): void
}

/** A kind of backend, as the table lists it. */
export type BackendKind<Variables extends TProperties = TProperties> = {
  /** Its name in OAUTH2_EVENTS_BACKEND and at /events/health. */
  name: string
  /** The variables that it reads. */
  variables: Variables
  /**
   * Opens the backend. Returns at once, even if the engine is unavailable.
   * @throws ConfigurationError when a variable is invalid
   */
  open(config: Static<TObject<Variables>>, deps: BackendDeps): Backend
}

/** Ties a kind's variables to what its `open` reads. */
export const backendKind = <const Variables extends TProperties>(kind: BackendKind<Variables>) => kind

/**
 * Checks a variable that only one backend reads. An invalid value is an error only while events go to that backend.
 * @param backend the backend's name
 * @param read reads the variable as the backend does; throws ConfigurationError
 */
export function whereNamed<Values>(backend: string, read: (values: Values) => unknown) {
  return (values: Values & EventingConfig): void => {
    const names = values.OAUTH2_EVENTS_BACKEND?.split(',').map((name) => name.trim())
    if (values.OAUTH2_EVENTS_ENABLED && names?.includes(backend)) read(values)
  }
}

/** Whether eventing is on, and the backends that events go to. */
export type EventingConfig = { OAUTH2_EVENTS_ENABLED?: boolean; OAUTH2_EVENTS_BACKEND?: string }

/**
 * Gets a variable that a backend requires.
 * @param backend the backend's name
 * @throws ConfigurationError when it is not set
 */
export function needed<Config extends object, Variable extends keyof Config & string>(
  config: Config,
  variable: Variable,
  backend: string,
): NonNullable<Config[Variable]> {
  const value = config[variable]
  if (value !== undefined && value !== null) return value
  throw new ConfigurationError(`${variable} must be set: OAUTH2_EVENTS_BACKEND names ${backend}`)
}
