import { ConfigurationError } from './configuration-error.ts'

/**
 * Checks a database URL.
 * @param value the configured value, e.g. `postgresql://user:password@host:5432/gatehouse`
 * @returns the same URL, trimmed
 * @throws ConfigurationError in one line, never with any part of the value: it may hold a password, even if malformed
 */
export function parseDatabaseUrl(value: string): string {
  const text = value.trim()
  if (!/^postgres(ql)?:\/\//i.test(text)) {
    throw new ConfigurationError(
      'OAUTH2_DATABASE_URL must begin with postgresql:// or postgres://; no other database is supported',
    )
  }
  const url = URL.parse(text)
  if (url === null) {
    throw new ConfigurationError(
      'OAUTH2_DATABASE_URL is not a valid URL (postgresql://user:password@host:5432/database); ' +
        'percent-encode special characters in the password, and name one host only',
    )
  }
  if (url.pathname.length < 2) {
    throw new ConfigurationError(
      'OAUTH2_DATABASE_URL names no database (postgresql://user:password@host:5432/database)',
    )
  }
  return text
}
