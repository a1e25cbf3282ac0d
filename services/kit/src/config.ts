import { envSchema } from 'env-schema'
import { type Static, type TObject, type TSchema, Type } from 'typebox'

/** A variable is wrong. The message is one line a variable, for the person who starts the process. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError'
}

/** What a variable's schema says besides JSON Schema's own words. */
export type VariableOptions = {
  /** For the reader of docs/configuration.md: what it does, with its unit. */
  description: string
  /** What a value must be, as the end of "VARIABLE must be …". */
  rule?: string
  /** The default in words, where it is not one fixed value. */
  defaultText?: string
  /** Never shown, not even its shape beyond the length. */
  secret?: boolean
}

function certificateFile(description: string) {
  return Type.Optional(
    Type.String({
      minLength: 1,
      defaultText: 'none: calls between processes are not encrypted',
      description,
    }),
  )
}

/** The variables of mutual TLS between the processes. */
export const certificateVariables = {
  OAUTH2_GRPC_TLS_CA: certificateFile(
    'A file with the certificates (PEM) of the authorities whose processes are believed. Set all three of OAUTH2_GRPC_TLS_ or none; the files may be renewed while the process runs.',
  ),
  OAUTH2_GRPC_TLS_CERT: certificateFile(
    'A file with this process’s certificate (PEM), for serving and for calling, with those that lead to the authority.',
  ),
  OAUTH2_GRPC_TLS_KEY: certificateFile('A file with the private key (PEM) of that certificate.'),
}

/** The variables that every process has. */
export const processVariables = {
  NODE_ENV: Type.Optional(
    Type.String({ description: 'With `production`, secrets that are too short are refused.' }),
  ),
  LOG_LEVEL: Type.Enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
    default: 'info',
    rule: 'one of fatal, error, warn, info, debug, trace, silent',
    description: 'How much is logged. JSON lines; pretty only where a person’s terminal is attached.',
  }),
  OAUTH2_OTLP_ENDPOINT: Type.Optional(
    Type.String({
      pattern: '^https?://[^\\s]+$',
      rule: 'an http:// or https:// URL',
      defaultText: 'none: nothing is traced',
      description:
        'Where traces are sent by OTLP/HTTP, without `/v1/traces`. The standard OTEL_EXPORTER_OTLP_ENDPOINT wins; docs/tracing.md tells of the other OTEL_ variables.',
    }),
  ),
  OAUTH2_INTERNAL_HOST: Type.String({
    default: '127.0.0.1',
    minLength: 1,
    description: 'The address of the internal listener: probes and metrics, unlimited, never public.',
  }),
  OAUTH2_INTERNAL_PORT: Type.Integer({
    default: 0,
    minimum: 0,
    maximum: 65535,
    rule: 'a port number',
    defaultText: 'any free port',
    description: 'The port of the internal listener.',
  }),
  ...certificateVariables,
}

/** The variables of a process that answers RPCs. */
export const rpcVariables = {
  OAUTH2_GRPC_HOST: Type.String({
    default: '127.0.0.1',
    minLength: 1,
    description: 'The address where a service takes RPCs.',
  }),
  OAUTH2_GRPC_PORT: Type.Integer({
    default: 0,
    minimum: 0,
    maximum: 65535,
    rule: 'a port number',
    defaultText: 'any free port; the launcher and the chart set it',
    description: 'The port where a service takes RPCs.',
  }),
  OAUTH2_GRPC_PLAINTEXT: Type.Boolean({
    default: false,
    rule: 'true or false',
    description:
      'Whether a service takes RPCs that are not encrypted at an address other than the loopback’s. Who reaches such a port can issue tokens: only for networks that nobody else is in.',
  }),
}

/**
 * The variable that says where a service is found.
 * @param service the service's name, for the description
 */
export function addressVariable(service: string) {
  return Type.String({
    minLength: 1,
    pattern: '^[^\\s]+$',
    rule: 'a gRPC target such as 127.0.0.1:50051 or dns:///token:50051',
    defaultText: 'set by the launcher',
    description: `Where the ${service} service is.`,
  })
}

/** Where the system is found from outside: the issuer, and the base of every absolute URL. */
export const publicBaseUrlVariable = {
  OAUTH2_SERVER_PUBLIC_BASE_URL: Type.String({
    pattern: '^https?://[^\\s/?#]+$',
    rule: 'an http:// or https:// URL without path, query, fragment and slash at the end',
    defaultText: 'http://localhost:8080 by the local launcher, with its port',
    description: 'The issuer, and the base of every absolute URL. Always wins over Host and X-Forwarded-*.',
  }),
}

/** The scopes that the server knows (RFC 6749 section 3.3). */
export const scopesSupportedVariable = {
  OAUTH2_SCOPES_SUPPORTED: Type.String({
    default: 'read write profile email',
    pattern: '^[!#-\\[\\]-~]+( [!#-\\[\\]-~]+)*$',
    rule: 'words with one space between two',
    description: 'The scopes that discovery shows and that an open registration may ask for.',
  }),
}

/** The grants that are off until they are switched on. */
export const grantSwitches = {
  OAUTH2_REFRESH_TOKEN_ENABLED: Type.Boolean({
    default: false,
    rule: 'true or false',
    description: 'Whether refresh tokens are given and taken. Discovery follows.',
  }),
  OAUTH2_PASSWORD_GRANT_ENABLED: Type.Boolean({
    default: false,
    rule: 'true or false',
    description:
      'Whether clients may send users’ names and passwords (the grant `password`, for old clients only). Discovery follows.',
  }),
}

/** Whether there are clients without a secret. */
export const publicClientsVariable = {
  OAUTH2_PUBLIC_CLIENTS_ENABLED: Type.Boolean({
    default: false,
    rule: 'true or false',
    description:
      'Whether clients that cannot keep a secret may register and use `token_endpoint_auth_method` `none`: single-page and native apps.',
  }),
}

/** The variable with the database's address. */
export const databaseVariables = {
  OAUTH2_DATABASE_URL: Type.String({
    pattern: '^postgres(ql)?://.',
    rule: 'a postgresql:// or postgres:// URL',
    defaultText: 'the local launcher starts an embedded PostgreSQL',
    secret: true,
    description: 'The PostgreSQL database that holds the state.',
  }),
  OAUTH2_DATABASE_POOL_SIZE: Type.Integer({
    default: 10,
    minimum: 2,
    maximum: 500,
    rule: 'a whole number from 2 to 500',
    description:
      'How many database connections one process may open, besides one that only asks for signs of life.',
  }),
}

/**
 * Reads a process's variables once. An empty variable counts as absent.
 * @param schema one property a variable
 * @param environment usually process.env; it is left as it is
 * @returns the values with their types and defaults, frozen
 * @throws ConfigurationError naming each wrong variable, its rule and the shape of its value
 */
export function loadConfig<Schema extends TObject>(
  schema: Schema,
  environment: Record<string, string | undefined>,
): Readonly<Static<Schema>> {
  const present: Record<string, string> = {}
  for (const name of Object.keys(schema.properties)) {
    const value = environment[name]
    if (value !== undefined && value !== '') present[name] = value
  }
  try {
    const values = envSchema<Record<string, unknown>>({
      schema: { ...schema },
      data: { ...present },
      env: false,
      ajv: { customOptions: { strict: false } as never },
    })
    return Object.freeze(values) as Readonly<Static<Schema>>
  } catch (error) {
    const faults = (error as { errors?: Fault[] }).errors
    if (faults === undefined) throw error
    throw new ConfigurationError(describeFaults(schema, present, faults))
  }
}

/** The part of a validation error that is used here. */
type Fault = { instancePath: string; params: { missingProperty?: string }; message?: string }

function describeFaults(schema: TObject, present: Record<string, string>, faults: Fault[]): string {
  const lines = new Map<string, string>()
  for (const fault of faults) {
    const name = fault.params.missingProperty ?? fault.instancePath.slice(1)
    const variable = schema.properties[name] as (TSchema & VariableOptions) | undefined
    const rule = variable?.rule ? `must be ${variable.rule}` : (fault.message ?? 'is wrong')
    const value = present[name]
    const now = value === undefined ? 'it is not set' : `its value has ${value.length} characters`
    const shown = value !== undefined && variable?.secret !== true && value.length <= 60
    lines.set(name, `${name} ${rule}; ${shown ? `it is ${JSON.stringify(value)}` : now}`)
  }
  return [...lines.values()].join('\n')
}

/** The least number of bytes that a signing secret needs (RFC 7518 section 3.2 for HS256). */
const leastSecretBytes = 32

/**
 * Checks the length of a secret: too short is refused in production and a warning elsewhere.
 * @param name the variable's name
 * @param secret its value
 * @param nodeEnv the value of NODE_ENV
 * @returns a warning for the log, or undefined where the secret is long enough
 * @throws ConfigurationError when it is too short and NODE_ENV is production
 */
export function checkSecretLength(
  name: string,
  secret: string,
  nodeEnv: string | undefined,
): string | undefined {
  const bytes = Buffer.byteLength(secret)
  if (bytes >= leastSecretBytes) return undefined
  const message = `${name} must have at least ${leastSecretBytes} bytes; it has ${bytes}`
  if (nodeEnv === 'production') throw new ConfigurationError(message)
  return `${message}. Anybody who guesses it can forge what it protects.`
}
