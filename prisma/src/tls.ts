import { readFileSync } from 'node:fs'
import type { ConnectionOptions, SecureVersion } from 'node:tls'
import { ConfigurationError } from '@gatehouse/kit/config/configuration-error'

/** The values of `sslmode`, which mean what libpq means by them; `no-verify` is node-postgres’s word for `require` without a check. */
const modes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'] as const

/** The parameters of a database URL about TLS, by libpq's names. */
const names = [
  ...['sslmode', 'ssl', 'sslrootcert', 'sslcert', 'sslkey', 'sslpassword', 'sslnegotiation'],
  ...['ssl_min_protocol_version', 'ssl_max_protocol_version', 'uselibpqcompat'],
] as const

/** Parameters of libpq that make a connection safer, and that node-postgres does not know. */
const unknown = ['sslcrl', 'sslcrldir', 'requiressl', 'sslcertmode']

/** How the connections of one database URL are encrypted. */
export type DatabaseTls = {
  /** The URL without the parameters about TLS. */
  url: string
  /** Whether a server without TLS is taken as well (`prefer`). */
  optional: boolean
  /** Whether the TLS handshake is the first that is sent (`sslnegotiation=direct`). */
  direct: boolean
  /**
   * The options of node:tls for a new connection; false: no TLS. The files are read anew, because they are replaced while the process
   * runs. While one cannot be read, its last content counts.
   */
  options(): ConnectionOptions | false
}

/**
 * Reads how the connections to a database are encrypted, as libpq reads it from its URL and then from PGSSLMODE, PGSSLROOTCERT, PGSSLCERT,
 * PGSSLKEY, PGSSLNEGOTIATION, PGSSLMINPROTOCOLVERSION and PGSSLMAXPROTOCOLVERSION. Without a mode there is no TLS, and on a Unix socket never.
 * @param databaseUrl a PostgreSQL URL
 * @throws ConfigurationError in one line for a mode or combination that does not exist and for a file that cannot be read
 */
export function parseTls(databaseUrl: string, environment: NodeJS.ProcessEnv = process.env): DatabaseTls {
  const url = new URL(databaseUrl)
  const given = (name: string) => url.searchParams.getAll(name).at(-1) || undefined
  const found = (name: string) =>
    given(name) ?? (environment[`PG${name.replaceAll('_', '').toUpperCase()}`] || undefined)
  const mode = given('sslmode') ?? modeOf(given('ssl')) ?? found('sslmode') ?? 'disable'
  const direct = found('sslnegotiation') === 'direct'
  requireSense(mode, direct, given, found)
  const socket = (given('host') ?? decodeURIComponent(url.hostname)).startsWith('/')
  const encrypted = mode !== 'disable' && !socket
  const files = encrypted ? filesOf(mode, found) : {}
  const fixed: ConnectionOptions = {
    ...verificationOf(mode, 'ca' in files),
    ...optional('passphrase', given('sslpassword')),
    ...optional('minVersion', found('ssl_min_protocol_version') as SecureVersion | undefined),
    ...optional('maxVersion', found('ssl_max_protocol_version') as SecureVersion | undefined),
  }
  const isTls = names.some((name) => url.searchParams.has(name))
  for (const name of names) url.searchParams.delete(name)
  return {
    url: isTls ? url.href : databaseUrl,
    optional: mode === 'prefer',
    direct: encrypted && direct,
    options() {
      if (!encrypted) return false
      const read = Object.entries(files).map(([option, file]) => [option, file()])
      return { ...fixed, ...Object.fromEntries(read) }
    },
  }
}

/** The mode for `ssl`, which is JDBC's word: `true` checks everything there, too. */
function modeOf(ssl: string | undefined): string | undefined {
  if (ssl === undefined || ssl === 'no-verify') return ssl
  return ssl === 'false' || ssl === '0' ? 'disable' : 'verify-full'
}

type Lookup = (name: string) => string | undefined

function requireSense(mode: string, direct: boolean, given: Lookup, found: Lookup): void {
  const refuse = (reason: string): never => {
    throw new ConfigurationError(`OAUTH2_DATABASE_URL: ${reason}`)
  }
  if (!modes.some((known) => known === mode)) {
    refuse(`sslmode must be one of ${modes.slice(0, 5).join(', ')}`)
  }
  for (const name of unknown) {
    if (given(name) !== undefined) refuse(`${name} is not supported; remove it`)
  }
  const negotiation = found('sslnegotiation')
  if (negotiation !== undefined && !['direct', 'postgres'].includes(negotiation)) {
    refuse('sslnegotiation must be postgres or direct')
  }
  if (direct && ['disable', 'prefer'].includes(mode)) {
    refuse('sslnegotiation=direct needs sslmode=require, verify-ca or verify-full')
  }
  for (const name of ['ssl_min_protocol_version', 'ssl_max_protocol_version']) {
    if (!['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3', undefined].includes(found(name))) {
      refuse(`${name} must be TLSv1, TLSv1.1, TLSv1.2 or TLSv1.3`)
    }
  }
  const root = found('sslrootcert')
  if (root === 'system' && mode !== 'verify-full' && mode !== 'disable') {
    refuse('sslrootcert=system needs sslmode=verify-full, since a public authority certifies anybody')
  }
  if (mode === 'verify-ca' && root === undefined) {
    refuse(
      'sslmode=verify-ca needs sslrootcert=/path/to/ca.pem, the certificate of the authority of the database; ' +
        'for one with a certificate of a public authority use sslmode=verify-full',
    )
  }
  if ((found('sslcert') === undefined) !== (found('sslkey') === undefined)) {
    refuse('sslcert and sslkey must be given together')
  }
}

/** The checks of the server's certificate. */
function verificationOf(mode: string, hasAuthority: boolean): ConnectionOptions {
  if (mode === 'verify-full') return { rejectUnauthorized: true }
  // As libpq does it, an authority that is named is checked with `require`, too.
  if (mode === 'verify-ca' || (mode === 'require' && hasAuthority)) {
    return { rejectUnauthorized: true, checkServerIdentity: () => undefined }
  }
  return { rejectUnauthorized: false }
}

/** Readers of the files, by node:tls's names for what they hold. */
function filesOf(mode: string, found: Lookup): Partial<Record<'ca' | 'cert' | 'key', () => string>> {
  const root = found('sslrootcert')
  const checks = mode !== 'prefer' && mode !== 'no-verify' && root !== 'system'
  return {
    ...optional('ca', checks ? reader('sslrootcert', root) : undefined),
    ...optional('cert', reader('sslcert', found('sslcert'))),
    ...optional('key', reader('sslkey', found('sslkey'))),
  }
}

function reader(name: string, path: string | undefined): (() => string) | undefined {
  if (path === undefined) return undefined
  let last: string
  try {
    last = readFileSync(path, 'utf8')
  } catch (error) {
    throw new ConfigurationError(
      `OAUTH2_DATABASE_URL: the file of ${name}=${path} cannot be read (${(error as NodeJS.ErrnoException).code})`,
    )
  }
  return () => {
    try {
      last = readFileSync(path, 'utf8')
    } catch {
      // It is being replaced. If what it held is no longer right, the server refuses it, and that is reported.
    }
    return last
  }
}

function optional<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): Partial<Record<Name, Value>> {
  return value === undefined ? {} : ({ [name]: value } as Record<Name, Value>)
}
