import { join } from 'node:path'
import { fileVariableOf } from '@gatehouse/kit/config/secret-file'
import { rootDirectory } from './places.ts'

/** The processes of the system, in the order in which they are shown. */
export const serviceNames = ['gateway', 'token', 'client-registry', 'identity', 'events'] as const
export type ServiceName = (typeof serviceNames)[number]

/** The file that runs a service. */
export function entryOf(name: ServiceName): string {
  return join(rootDirectory, 'services', name, 'src', 'main.ts')
}

/**
 * The variables with which the processes find each other.
 * @param targetOf returns a service's gRPC target
 */
export function addressVariables(targetOf: (name: ServiceName) => string): Record<string, string> {
  return {
    OAUTH2_TOKEN_ADDR: targetOf('token'),
    OAUTH2_CLIENT_REGISTRY_ADDR: targetOf('client-registry'),
    OAUTH2_IDENTITY_ADDR: targetOf('identity'),
    OAUTH2_EVENTS_ADDR: targetOf('events'),
  }
}

/** A larger young generation for the two busiest processes: most of their objects live for one request, and copying them costs time. */
const hot = ['--max-semi-space-size=64']
/**
 * Ten times V8's own budget. With less, Prisma's WebAssembly is compiled a second time, with all optimizations, while the process
 * starts: that was a quarter of the CPU time of a start.
 */
const prisma = ['--wasm-tiering-budget=130000000']

/** V8 flags, the same as in deploy/docker/entrypoint.ts. */
export const nodeFlags: Record<ServiceName, string[]> = {
  gateway: hot,
  token: [...hot, ...prisma],
  'client-registry': prisma,
  identity: prisma,
  events: [],
}

const withDatabase: ServiceName[] = ['token', 'client-registry', 'identity', 'events']

/**
 * The services that get a variable whose value is, or may contain, a secret. All services get every other OAUTH2_ variable.
 */
const restricted: [name: RegExp, services: ServiceName[]][] = [
  [/^OAUTH2_DATABASE_(DIRECT_)?URL$/, withDatabase],
  [/^OAUTH2_MIGRATION_DATABASE_URL$/, []],
  [/^OAUTH2_JWT_SECRET(_NEXT)?$/, ['token']],
  [/^OAUTH2_SESSION_KEY(_NEXT)?$/, ['gateway']],
  [/^OAUTH2_FACTOR_KEY(_NEXT)?$/, ['identity']],
  [/^OAUTH2_SEED_/, ['identity']],
  [/^OAUTH2_SMTP_URL$/, ['identity']],
  [/^OAUTH2_REDIS_URL$/, ['gateway']],
  [/^OAUTH2_REGISTRATION_TOKEN$/, ['gateway']],
  [/^OAUTH2_EVENTS_INGEST_TOKEN$/, ['gateway']],
  [/^OAUTH2_EVENTS_.*(URL|SECRET|BROKERS|PASSWORD)$/, ['events']],
  [/^OAUTH2_.*_CLIENT_SECRET$/, ['identity']],
]

/** The other variables of the launcher's environment that a process gets, besides OAUTH2_*. */
const inherited =
  /^(OTEL_.*|LOG_LEVEL|NODE_ENV|NODE_OPTIONS|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|https?_proxy|no_proxy|PATH|HOME|TMPDIR|TZ|LANG|LC_.*)$/i

/** Variables without those whose values are in files of the environment, which the services read and follow themselves. */
export function withoutFiles<Value>(
  values: Record<string, Value>,
  environment: NodeJS.ProcessEnv,
): Record<string, Value> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !environment[fileVariableOf(name)]))
}

/**
 * The environment of one service: what it needs, and no other secrets.
 * @param name the service
 * @param environment the launcher's environment
 * @param values the variables that the launcher sets; they override the environment
 */
export function environmentOf(
  name: ServiceName,
  environment: NodeJS.ProcessEnv,
  values: Record<string, string | undefined>,
): Record<string, string> {
  const result: Record<string, string> = {}
  const all = { ...environment, ...withoutFiles(values, environment) }
  for (const [variable, value] of Object.entries(all)) {
    if (value === undefined || value === '') continue
    if (variable in values || inherited.test(variable) || variable.startsWith('OAUTH2_')) {
      const secret = variable.replace(/_FILE$/, '')
      const rule = restricted.find(([pattern]) => pattern.test(secret))
      if (!rule || rule[1].includes(name)) result[variable] = value
    }
  }
  return result
}
