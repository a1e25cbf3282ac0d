import { ConfigurationError } from '@gatehouse/kit/config/config'
import { type TProperties, Type } from '@gatehouse/proto/typebox'
import type { Backend, BackendDeps, BackendKind } from '../envelopes/backend.ts'
import { webhook } from '../webhooks/webhook.ts'
import { consoleBackend } from './console.ts'
import { inMemory } from './in-memory.ts'
import { kafka } from './kafka.ts'
import { nats } from './nats.ts'
import { rabbit } from './rabbit.ts'
import { redis } from './redis.ts'

/** The kinds of backends that OAUTH2_EVENTS_BACKEND may name. */
const kinds = [inMemory, consoleBackend, redis, rabbit, nats, kafka]

/** The kinds that are opened when their variable is set, whatever OAUTH2_EVENTS_BACKEND names. */
const byVariable = { OAUTH2_EVENTS_WEBHOOK_URL: webhook }

/** The backends that a name in OAUTH2_EVENTS_BACKEND stands for. */
const meanings: Readonly<Record<string, readonly string[]>> = {
  both: [inMemory.name, consoleBackend.name],
  ...Object.fromEntries(kinds.map(({ name }) => [name, [name]])),
}

/** The variables of all backends. */
export const backendVariables = {
  OAUTH2_EVENTS_BACKEND: Type.String({
    default: inMemory.name,
    rule: `one or more of ${Object.keys(meanings).join(', ')}, separated by commas`,
    description: 'The backends that events are delivered to. `both` stands for in_memory and console.',
    check({ OAUTH2_EVENTS_BACKEND: text }: { OAUTH2_EVENTS_BACKEND: string }) {
      namedBackends(text)
    },
  }),
  ...webhook.variables,
  ...(Object.assign({}, ...kinds.map(({ variables }) => variables)) as Variables<(typeof kinds)[number]>),
}

/** The variables of several kinds together. */
type Variables<Kind> = Intersection<Kind extends BackendKind<infer V extends TProperties> ? V : never>
type Intersection<Union> = (Union extends unknown ? (one: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never

/**
 * Reads the names of the configured backends.
 * @param text the value of OAUTH2_EVENTS_BACKEND
 * @returns each name once
 * @throws ConfigurationError that lists the known names, when a name is unknown or empty
 */
export function namedBackends(text: string): string[] {
  const names = text.split(',').map((name) => name.trim())
  const unknown = names.find((name) => !Object.hasOwn(meanings, name))
  if (unknown !== undefined) {
    throw new ConfigurationError(
      `OAUTH2_EVENTS_BACKEND names the unknown backend ${JSON.stringify(unknown.slice(0, 60))}; it must be one or more of ${Object.keys(meanings).join(', ')}`,
    )
  }
  return [...new Set(names.flatMap((name) => meanings[name] ?? []))]
}

/**
 * Opens the configured backends. An unavailable one does not stop the others.
 * @param config the service's variables
 * @param depsOf gives what each backend needs
 * @throws ConfigurationError when a variable is invalid
 */
export function openBackends(
  config: Readonly<Record<string, unknown>> & { OAUTH2_EVENTS_BACKEND: string },
  depsOf: (name: string) => BackendDeps,
): Map<string, Backend> {
  const wanted = namedBackends(config.OAUTH2_EVENTS_BACKEND)
  const set = Object.entries(byVariable).filter(([variable]) => config[variable] !== undefined)
  const open = ({ name, open }: (typeof kinds)[number] | typeof webhook): [string, Backend] => [
    name,
    // The service's variables include those of each backend: see backendVariables.
    open(config as never, depsOf(name)),
  ]
  const opened = [...kinds.filter(({ name }) => wanted.includes(name)), ...set.map(([, kind]) => kind)]
  return new Map(opened.map(open))
}
