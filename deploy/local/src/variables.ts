import { ConfigurationError } from '@gatehouse/kit/config/config'
import { loadConfig, warningsOf } from '@gatehouse/kit/config/load-config'
import { unknownVariables } from '@gatehouse/kit/config/unknown-variables'
import { Type } from '@gatehouse/proto/typebox'
import { type LauncherConfig, readConfig } from './config.ts'
import { serviceSchemas } from './service-schemas.ts'
import { addressVariables, withoutFiles } from './services.ts'

/** The variables of all services. A variable of several services is the same in each. */
const ofServices = Type.Object(
  Object.assign({}, ...Object.values(serviceSchemas).map(({ properties }) => properties)),
)

/** Placeholders for variables that the launcher sets if the environment does not. */
const madeUp = {
  OAUTH2_DATABASE_URL: 'postgresql://localhost/gatehouse',
  OAUTH2_JWT_SECRET: 'x'.repeat(64),
  OAUTH2_SESSION_KEY: 'x'.repeat(64),
  OAUTH2_FACTOR_KEY: 'x'.repeat(64),
  OAUTH2_MAIL_DIRECTORY: 'mails',
}

/** Placeholders for variables that the launcher always sets itself. */
const overridden = {
  ...addressVariables(() => '127.0.0.1:1'),
  OAUTH2_GRPC_HOST: '127.0.0.1',
  OAUTH2_GRPC_PORT: '1',
  OAUTH2_INTERNAL_HOST: '127.0.0.1',
  OAUTH2_INTERNAL_PORT: '1',
}

/**
 * Reads the launcher's variables, and checks those of all services before any of them starts.
 * @param environment usually process.env
 * @returns the launcher's configuration, and warnings about the variables for the person who starts the system
 * @throws ConfigurationError that names every invalid variable of every process
 */
export function readVariables(environment: NodeJS.ProcessEnv): {
  config: LauncherConfig
  warnings: string[]
} {
  const present = Object.fromEntries(Object.entries(environment).filter(([, value]) => value))
  const config = orError(() => readConfig(environment))
  // The address that the launcher would make up, since a gateway with a certificate warns of one that is not https.
  const url = present.OAUTH2_SERVER_TLS_CERT ? 'https://localhost' : 'http://localhost'
  const all = {
    ...withoutFiles(madeUp, present),
    OAUTH2_SERVER_PUBLIC_BASE_URL: url,
    ...present,
    ...overridden,
  }
  const services = orError(() => loadConfig(ofServices, all))
  if (config instanceof ConfigurationError || services instanceof ConfigurationError)
    throw new ConfigurationError([...linesOf(config, services).values()].join('\n'))
  return { config, warnings: [...unknownVariables(environment), ...warningsOf(ofServices, services)] }
}

function orError<Value>(read: () => Value): Value | ConfigurationError {
  try {
    return read()
  } catch (error) {
    if (error instanceof ConfigurationError) return error
    throw error
  }
}

/** The lines of the errors, by the variable with which each begins. Of several lines about a variable the first is used. */
function linesOf(...results: unknown[]): Map<string, string> {
  const lines = new Map<string, string>()
  for (const result of results) {
    const errors = result instanceof ConfigurationError ? result.message.split('\n') : []
    const fresh = errors.map((line) => [line.split(' ', 1)[0] ?? '', line] as const)
    for (const [variable, line] of fresh) if (!lines.has(variable)) lines.set(variable, line)
  }
  return lines
}
