import { ConfigurationError } from '@gatehouse/kit/config/configuration-error'
import { secretOf } from '@gatehouse/kit/config/secret-file'
import { hostAndPort } from '@gatehouse/kit/host'
import { hostOf, portOf, readUrl, requireUsableServers, serverUrls } from './server-urls.ts'

/**
 * Checks a database URL.
 * @param value the configured value, e.g. `postgresql://user:password@host:5432/gatehouse`, or one with several hosts
 * @param variable the name of the variable that has it
 * @returns the same URL, trimmed
 * @throws ConfigurationError in one line, never with the value or a part of it: it may hold a password, even when it is malformed
 */
export function parseDatabaseUrl(value: string, variable = 'OAUTH2_DATABASE_URL'): string {
  const text = value.trim()
  if (!/^postgres(ql)?:\/\//i.test(text)) {
    throw new ConfigurationError(
      `${variable} must begin with postgresql:// or postgres://; no other database is supported`,
    )
  }
  const servers = serverUrls(text)
  const urls = servers.flatMap(readUrl)
  if (urls.length < servers.length) {
    throw new ConfigurationError(
      `${variable} is not a valid URL (postgresql://user:password@host:5432/database); ` +
        'percent-encode special characters in the password, and put commas between several hosts',
    )
  }
  if (urls.some((url) => url.pathname.length < 2)) {
    throw new ConfigurationError(
      `${variable} names no database (postgresql://user:password@host:5432/database)`,
    )
  }
  requireUsableServers(urls, variable)
  return text
}

/**
 * The URL of an environment that leads to PostgreSQL itself, of its own or of its file: that of OAUTH2_DATABASE_DIRECT_URL if there is
 * one, else that of OAUTH2_DATABASE_URL.
 * @throws ConfigurationError in one line when both are missing, or the one that counts is not a PostgreSQL URL
 */
export function requireDatabaseUrl(environment: NodeJS.ProcessEnv): string {
  const direct = secretOf('OAUTH2_DATABASE_DIRECT_URL', environment)
  if (direct?.trim()) return parseDatabaseUrl(direct, 'OAUTH2_DATABASE_DIRECT_URL')
  const value = secretOf('OAUTH2_DATABASE_URL', environment)
  if (value === undefined || value.trim() === '') {
    throw new ConfigurationError(
      'OAUTH2_DATABASE_URL is not set: it must name a PostgreSQL database (postgresql://…)',
    )
  }
  return parseDatabaseUrl(value)
}

/** The database that is migrated, as which role, and for which. */
export type MigrationTarget = {
  databaseUrl: string
  /** The role of the services, if it is another one than that of the URL. */
  serviceRole?: string
  /** Whether the services use a pooler in transaction mode. */
  isPooled?: true
}

/**
 * The database that an environment says to migrate: the one of the services, as the role of OAUTH2_MIGRATION_DATABASE_URL if that is set.
 * @throws ConfigurationError in one line when a URL is missing or is not a PostgreSQL URL, or when the services' role is not in theirs
 */
export function migrationTarget(environment: NodeJS.ProcessEnv): MigrationTarget {
  // A pooler may know the services' role by another name, so it is taken from the URL without one.
  const services = requireDatabaseUrl(environment)
  const pooled = secretOf('OAUTH2_DATABASE_DIRECT_URL', environment)?.trim()
    ? { isPooled: true as const }
    : {}
  const value = secretOf('OAUTH2_MIGRATION_DATABASE_URL', environment)
  if (value === undefined || value.trim() === '') return { databaseUrl: services, ...pooled }
  const databaseUrl = parseDatabaseUrl(value, 'OAUTH2_MIGRATION_DATABASE_URL')
  const serviceRole = roleOf(services)
  if (serviceRole === '')
    throw new ConfigurationError(
      'OAUTH2_DATABASE_URL names no role, which would get its rights from the one of OAUTH2_MIGRATION_DATABASE_URL',
    )
  return { databaseUrl, ...(serviceRole !== roleOf(databaseUrl) && { serviceRole }), ...pooled }
}

function roleOf(databaseUrl: string): string {
  const [first = ''] = serverUrls(databaseUrl)
  const { username, searchParams } = new URL(first)
  return decodeURIComponent(username) || searchParams.get('user') || ''
}

/** A database URL as it may be shown: `host:port/database`, without user and password; several hosts have commas between them. */
export function showDatabaseUrl(databaseUrl: string): string {
  const urls = serverUrls(databaseUrl).map((url) => new URL(url))
  const hosts = urls.map((url) => hostAndPort(hostOf(url) || 'localhost', portOf(url)))
  return `${hosts.join(',')}${decodeURIComponent(urls[0]?.pathname ?? '')}`
}
