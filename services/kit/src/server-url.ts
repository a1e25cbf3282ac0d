import { ConfigurationError } from './configuration-error.ts'

/**
 * Reads where a server is from a variable. The value may hold credentials, so no error shows anything of it.
 * @param variable the variable's name
 * @param expected what its value must be, in words
 * @param read gives what the value says; undefined, or an error, where it is not what is expected
 * @throws ConfigurationError with the name of the variable and what is expected
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
    // Its message has the value in it.
  }
  throw new ConfigurationError(`${variable} must be ${expected}; its value has ${text.length} characters`)
}

/**
 * Reads where a Redis is, and refuses what its client would misread.
 * @returns the URL as it was
 * @throws ConfigurationError that shows nothing of it
 */
export function readRedisUrl(variable: string, text: string): string {
  const expected = 'a redis:// or rediss:// URL, as redis://:password@host:6379/0'
  return readServerUrl(variable, text, expected, () => {
    const { hostname, pathname, search, hash, username, password } = new URL(text)
    decodeURIComponent(username + password)
    return hostname !== '' && /^\/?\d*$/.test(pathname) && search === '' && hash === '' ? text : undefined
  })
}
