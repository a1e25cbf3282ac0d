/** An http URI with a loopback host: the part before the port, the port, and the rest. */
const loopbackPattern = /^(http:\/\/(localhost|127\.0\.0\.1|\[::1\]))(?::([1-9]\d{0,4}))?((?:[/?].*)?)$/

/**
 * Whether a redirect URI is registered. The strings must be equal, except for the port of an http URI with a loopback IP
 * address, which a native app cannot choose (RFC 8252 section 7.3). `localhost` is a name, which may resolve to another
 * address, so its port must match (section 8.3).
 * @param byDocument whether a metadata document has the registered ones. It is written before any port is known, and those
 *   of widely used apps have `localhost`, so its port may differ too.
 */
export function isRegisteredRedirectUri(
  requested: string,
  registered: readonly string[],
  byDocument = false,
): boolean {
  if (registered.includes(requested)) return true
  const withoutPort = loopbackWithoutPort(requested, byDocument)
  return (
    withoutPort !== undefined &&
    registered.some((uri) => loopbackWithoutPort(uri, byDocument) === withoutPort)
  )
}

/** The part of a redirect URI that must match: without the port where that may differ. */
export function comparableRedirectUri(uri: string, byDocument: boolean): string {
  return loopbackWithoutPort(uri, byDocument) ?? uri
}

function loopbackWithoutPort(uri: string, byDocument: boolean): string | undefined {
  const [, before, host, port = '80', after] = loopbackPattern.exec(uri) ?? []
  const mayDiffer = before !== undefined && (byDocument || host !== 'localhost')
  return mayDiffer && Number(port) <= 65_535 ? `${before}${after}` : undefined
}

/** Whether a registered redirect URI leads to the user's own device over http: registration takes no other http URIs. */
export function isLoopback(redirectUri: string): boolean {
  return /^http:/i.test(redirectUri)
}

/**
 * Whether a redirect stays on the user's device, where another program can receive it (RFC 8252 section 8.6): a loopback or
 * private-use URI, so anything but https.
 */
export function staysOnDevice(redirectUri: string): boolean {
  return !/^https:/i.test(redirectUri)
}
