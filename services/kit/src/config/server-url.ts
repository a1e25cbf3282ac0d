import { ConfigurationError } from './configuration-error.ts'

/**
 * Reads a server's address from a variable. The value may hold credentials, so errors show no part of it.
 * @param variable the variable's name
 * @param expected the rule for the value, in words
 * @param read parses the value; it returns undefined or throws if the value is not as expected
 * @throws ConfigurationError with the name of the variable and the rule
 */
export function readServerUrl<Server>(
  variable: string,
  text: string,
  expected: string,
  read: () => Server | undefined,
): Server {
  try {
    const server = read()
    if (server !== undefined) return server
  } catch {
    // The error is dropped: its message contains the value.
  }
  throw new ConfigurationError(`${variable} must be ${expected}; its value has ${text.length} characters`)
}

/**
 * Reads the address of a Redis server, and refuses URLs that the Redis client would misread.
 * @returns the URL unchanged
 * @throws ConfigurationError that shows no part of it
 */
export function readRedisUrl(variable: string, text: string): string {
  const expected = 'a redis:// or rediss:// URL, as redis://:password@host:6379/0'
  return readServerUrl(variable, text, expected, () => {
    const { hostname, pathname, search, hash, username, password } = new URL(text)
    decodeURIComponent(username + password)
    return hostname !== '' && /^\/?\d*$/.test(pathname) && search === '' && hash === '' ? text : undefined
  })
}
