import { ConfigurationError } from '@gatehouse/kit/config'
import type { Logger } from '@gatehouse/kit/log'
import type { Static, TObject, TProperties } from 'typebox'
import type { CloudEventAttributes } from './cloud-event.ts'
import type { Envelope } from './envelope.ts'

/** An event on its way out: a CloudEvent whose data is its envelope. */
export type OutgoingEvent = {
  readonly envelope: Envelope
  /** The envelope as JSON. */
  readonly json: string
  /** What headers carry in binary content mode, each with the engine's prefix. */
  readonly attributes: CloudEventAttributes
}

/** An engine that events are delivered to. It connects by itself, and again when the connection is lost. */
export type Backend = {
  /**
   * Delivers events in their order. It may be called again with the same events when it fails, so an engine may get one
   * twice; it is called by one caller at a time.
   * @param signal aborted when nobody waits any more
   * @returns how many, from the first on, need not be sent again; at least one
   * @throws when the engine has none of them for sure
   */
  deliver(events: readonly OutgoingEvent[], signal: AbortSignal): Promise<number>
  /** Whether the engine could be delivered to when last tried or looked at. Never throws. */
  isHealthy(): boolean
  /** Closes the connection. */
  close(): Promise<void>
}

/** What a backend gets to work with. */
export type BackendDeps = {
  log: Logger
  /** OAUTH2_SERVER_PUBLIC_BASE_URL. */
  issuer: string
  /** The held events of in_memory. */
  ring: { push(events: readonly OutgoingEvent[]): void }
  /** Told of an event that the engine has and will never take; it counts as delivered. */
  refused(event: OutgoingEvent, reason: string): void
}

/** A kind of backend, as the table lists it. */
export type BackendKind<Variables extends TProperties = TProperties> = {
  /** As OAUTH2_EVENTS_BACKEND and the health page have it. */
  name: string
  /** The variables that it reads. */
  variables: Variables
  /**
   * Opens it. Resolves at once, also when the engine is away.
   * @throws ConfigurationError when a variable is wrong
   */
  open(config: Static<TObject<Variables>>, deps: BackendDeps): Backend
}

/** Ties a kind's variables to what its `open` reads. */
export const backendKind = <const Variables extends TProperties>(kind: BackendKind<Variables>) => kind

/**
 * Checks a variable that only one backend reads: a wrong value matters only while events go to that backend.
 * @param backend the backend's name
 * @param read reads the variable as the backend does; throws ConfigurationError
 */
export function whereNamed<Values>(backend: string, read: (values: Values) => unknown) {
  return (values: Values & EventingConfig): void => {
    const names = values.OAUTH2_EVENTS_BACKEND?.split(',').map((name) => name.trim())
    if (values.OAUTH2_EVENTS_ENABLED && names?.includes(backend)) read(values)
  }
}

/** Whether there are events, and where they go. */
export type EventingConfig = { OAUTH2_EVENTS_ENABLED?: boolean; OAUTH2_EVENTS_BACKEND?: string }

/**
 * The value of a variable that a backend cannot do without.
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
