import { Type } from '@gatehouse/proto/typebox'
import { readableUrl } from '@gatehouse/proto/url-rules'
import { isLoopback } from '../host.ts'
import { ConfigurationError } from './configuration-error.ts'

export { ConfigurationError }

/** The keywords of a variable's schema that JSON Schema does not have. */
export type VariableOptions = {
  /** The effect of the variable, with its unit; shown in docs/reference/configuration.md. */
  description: string
  /** The rule for a value, as the end of "VARIABLE must be …". */
  rule?: string
  /** The default in words, if it is not a fixed value. */
  defaultText?: string
  /** The defaults that depend on the value of another variable. An empty text means that the variable is not set. */
  defaultsBy?: { readonly variable: string; readonly values: Readonly<Record<string, string | boolean>> }
  /** The value is never shown; errors give only its length. */
  secret?: boolean
  /**
   * Checks what the schema cannot, such as that two variables belong together. Gets the values of all variables.
   * @throws ConfigurationError
   */
  check?(values: never): void
  /** The same for schemas of proto, which has no such error: returns the line of the error. Gets the values of all variables. */
  fault?(values: never): string | undefined
  /** Returns a warning about a value that does not stop the start. Gets the values of all variables. */
  warning?(values: never): string | undefined
}

function certificateFile(description: string) {
  return Type.Optional(
    Type.String({
      minLength: 1,
      defaultText: 'none: calls between processes are not encrypted',
      description,
      check: certificateFilesIn,
    }),
  )
}

/** The variables of mutual TLS between the processes. */
export const certificateVariables = {
  OAUTH2_GRPC_TLS_CA: certificateFile(
    'A file with the certificates (PEM) of the authorities whose processes are trusted. Set all three OAUTH2_GRPC_TLS_ variables or none. The files may be renewed while the process runs.',
  ),
  OAUTH2_GRPC_TLS_CERT: certificateFile(
    'A file with this process’s certificate (PEM), as a server and as a client, and with the intermediate certificates up to the authority.',
  ),
  OAUTH2_GRPC_TLS_KEY: certificateFile('A file with the private key (PEM) of that certificate.'),
}

/** The files of mutual TLS, each if it is set. */
export type CertificateFiles = { [Name in keyof typeof certificateVariables]?: string }

/**
 * The files of mutual TLS among the variables of a process.
 * @returns undefined if none is set
 * @throws ConfigurationError if only some of the three are set
 */
export function certificateFilesIn(values: CertificateFiles): Required<CertificateFiles> | undefined {
  const names = Object.keys(certificateVariables) as (keyof CertificateFiles)[]
  const missing = names.filter((name) => values[name] === undefined)
  if (missing.length === names.length) return undefined
  const { OAUTH2_GRPC_TLS_CA, OAUTH2_GRPC_TLS_CERT, OAUTH2_GRPC_TLS_KEY } = values
  if (OAUTH2_GRPC_TLS_CA && OAUTH2_GRPC_TLS_CERT && OAUTH2_GRPC_TLS_KEY)
    return { OAUTH2_GRPC_TLS_CA, OAUTH2_GRPC_TLS_CERT, OAUTH2_GRPC_TLS_KEY }
  throw new ConfigurationError(
    `${missing.join(' and ')} must be set as well: mutual TLS needs all of ${names.join(', ')}`,
  )
}

/** The variables that every process has. */
export const processVariables = {
  NODE_ENV: Type.Optional(
    Type.String({ description: 'With `production`, a process does not start if a secret is too short.' }),
  ),
  LOG_LEVEL: Type.Enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
    default: 'info',
    rule: 'one of fatal, error, warn, info, debug, trace, silent',
    description: 'How much is logged. The log is JSON lines, or readable text on a terminal.',
  }),
  OAUTH2_OTLP_ENDPOINT: Type.Optional(
    Type.String({
      pattern: '^https?://[^\\s]+$',
      rule: 'an http:// or https:// URL',
      ...readableUrl('OAUTH2_OTLP_ENDPOINT'),
      defaultText: 'none: nothing is traced',
      description:
        'Where traces are sent by OTLP/HTTP, without `/v1/traces`. The standard OTEL_EXPORTER_OTLP_ENDPOINT overrides it. docs/operate/tracing.md explains the other OTEL_ variables.',
    }),
  ),
  OAUTH2_INTERNAL_HOST: Type.String({
    default: '127.0.0.1',
    minLength: 1,
    description:
      'The address of the internal listener, for probes and metrics. It has no rate limits and must not be public.',
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
    description:
      'The address where a service listens for RPCs. `::` is every address, of IPv4 too where there is any.',
    check: requireKnownCallers,
  }),
  OAUTH2_GRPC_PORT: Type.Integer({
    default: 0,
    minimum: 0,
    maximum: 65535,
    rule: 'a port number',
    defaultText: 'any free port; the launcher and the chart set it',
    description: 'The port where a service listens for RPCs.',
  }),
  OAUTH2_GRPC_PLAINTEXT: Type.Boolean({
    default: false,
    rule: 'true or false',
    description:
      'Whether a service accepts unencrypted RPCs at an address other than the loopback address. Anybody who reaches such a port can issue tokens, so use it only in a network that nobody else is in.',
  }),
  OAUTH2_GRPC_REFLECTION: Type.Boolean({
    default: false,
    rule: 'true or false',
    defaultText: '`false`; `true` with the local launcher',
    description:
      'Whether a service tells callers what it answers (gRPC server reflection), so that `grpcurl` can call it. Callers need the same certificate as for any other call. See docs/operate/operations.md.',
  }),
}

/** @throws ConfigurationError if other machines could call without a certificate and OAUTH2_GRPC_PLAINTEXT is off */
export function requireKnownCallers(
  values: CertificateFiles & { OAUTH2_GRPC_HOST: string; OAUTH2_GRPC_PLAINTEXT: boolean },
): void {
  const { OAUTH2_GRPC_HOST: host, OAUTH2_GRPC_PLAINTEXT: plaintext, OAUTH2_GRPC_TLS_CA: authority } = values
  if (plaintext || authority !== undefined || isLoopback(host)) return
  throw new ConfigurationError(
    `OAUTH2_GRPC_HOST is ${host}, where calls must be encrypted: set OAUTH2_GRPC_TLS_CA, OAUTH2_GRPC_TLS_CERT and OAUTH2_GRPC_TLS_KEY, or OAUTH2_GRPC_PLAINTEXT=true if nobody else is in that network`,
  )
}

/**
 * The variable with the address of a service.
 * @param service the service's name, for the description
 */
export function addressVariable(service: string) {
  return Type.String({
    minLength: 1,
    pattern: '^[^\\s]+$',
    rule: 'a gRPC target such as 127.0.0.1:50051 or dns:///token:50051',
    defaultText: 'set by the launcher',
    description: `The address of the ${service} service.`,
  })
}

/** The shortest signing secret, in bytes (RFC 7518 section 3.2). */
const leastSecretBytes = 32

/**
 * Rules for the length of a secret: one that is too short is refused in production and warned about elsewhere.
 * @param name the variable's name
 */
export function secretLengthRules(name: string): Required<Pick<VariableOptions, 'check' | 'warning'>> {
  const fault = (values: Values) => {
    const bytes = Buffer.byteLength(String(values[name]))
    if (bytes >= leastSecretBytes) return undefined
    return `${name} must have at least ${leastSecretBytes} bytes; it has ${bytes}`
  }
  return {
    check(values: Values) {
      const text = fault(values)
      if (text && values.NODE_ENV === 'production') throw new ConfigurationError(text)
    },
    warning(values: Values) {
      const text = fault(values)
      return text && `${text}. Anybody who guesses it can forge what it protects.`
    },
  }
}

type Values = Readonly<Record<string, unknown>>
