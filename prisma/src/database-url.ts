import { ConfigurationError } from '@gatehouse/kit/config'
import { parseDatabaseUrl } from '@gatehouse/kit/database-url'

/**
 * The database URL of an environment.
 * @throws ConfigurationError in one line when OAUTH2_DATABASE_URL is missing or is not a PostgreSQL URL
 */
export function requireDatabaseUrl(environment: NodeJS.ProcessEnv): string {
  const value = environment.OAUTH2_DATABASE_URL
  if (value === undefined || value.trim() === '') {
    throw new ConfigurationError(
      'OAUTH2_DATABASE_URL is not set: it must name a PostgreSQL database (postgresql://…)',
    )
  }
  return parseDatabaseUrl(value)
}

/** A database URL as it may be shown: `host:port/database`, without user and password. */
export function showDatabaseUrl(databaseUrl: string): string {
  const url = new URL(databaseUrl)
  const host = decodeURIComponent(url.hostname) || url.searchParams.get('host') || 'localhost'
  return `${host}:${url.port || '5432'}${decodeURIComponent(url.pathname)}`
}
