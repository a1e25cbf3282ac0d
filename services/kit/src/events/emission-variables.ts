import { type EventType, eventTypes } from '@gatehouse/proto/event-types'
import { type Static, type TObject, Type } from '@gatehouse/proto/typebox'
import { addressVariable, ConfigurationError } from '../config/config.ts'

/** The switch for all events. */
export const eventingSwitch = {
  OAUTH2_EVENTS_ENABLED: Type.Boolean({
    default: false,
    rule: 'true or false',
    description: 'Whether events are emitted, accepted and delivered.',
  }),
}

/** The choice of the events that are emitted. */
export const emittedTypesVariables = {
  OAUTH2_EVENTS_FILTER_MODE: Type.Enum(['allow_all', 'include', 'exclude'], {
    default: 'allow_all',
    rule: 'one of allow_all, include, exclude',
    description:
      'Which of Gatehouse’s own events are emitted: all, only the types in OAUTH2_EVENTS_TYPES, or all but those.',
    check: (values: EmittedTypesConfig) => void emittedTypes(values),
  }),
  OAUTH2_EVENTS_TYPES: Type.Optional(
    Type.String({
      rule: 'event types, separated by commas',
      defaultText: 'none',
      description: 'The event types to which OAUTH2_EVENTS_FILTER_MODE applies, separated by commas.',
    }),
  ),
}

/** The variables of a process that emits events. */
export const emissionVariables = {
  ...eventingSwitch,
  OAUTH2_EVENTS_ADDR: addressVariable('events'),
  ...emittedTypesVariables,
}

/** The values of emissionVariables. */
export type EmissionConfig = Static<TObject<typeof emissionVariables>>
type EmittedTypesConfig = {
  OAUTH2_EVENTS_FILTER_MODE: 'allow_all' | 'include' | 'exclude'
  OAUTH2_EVENTS_TYPES?: string | undefined
}

/**
 * Reads which of Gatehouse's event types are emitted.
 * @throws ConfigurationError for an unknown type, or if the mode needs types and none are named
 */
export function emittedTypes({
  OAUTH2_EVENTS_FILTER_MODE: mode,
  OAUTH2_EVENTS_TYPES: text = '',
}: EmittedTypesConfig): ReadonlySet<EventType> {
  const known = Object.keys(eventTypes) as EventType[]
  const named = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  const unknown = named.find((name) => !Object.hasOwn(eventTypes, name))
  if (unknown !== undefined) {
    throw new ConfigurationError(
      `OAUTH2_EVENTS_TYPES names ${JSON.stringify(unknown.slice(0, 60))}, which is not an event type; the types are ${known.join(', ')}`,
    )
  }
  if (mode === 'allow_all') return new Set(known)
  if (named.length === 0)
    throw new ConfigurationError(
      `OAUTH2_EVENTS_TYPES must name event types; OAUTH2_EVENTS_FILTER_MODE is ${mode}`,
    )
  return new Set(known.filter((name) => named.includes(name) === (mode === 'include')))
}
