/** An http URI of a loopback IP address: what stands before its port, and what follows it. */
const loopbackPattern = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::([1-9]\d{0,4}))?((?:[/?].*)?)$/

/**
 * Whether a redirect URI is one of those that are registered: the same string, but for the port of an http loopback IP
 * address, which a native app cannot choose (RFC 8252 section 7.3). `localhost` is a name and not such an address: it
 * may be made to point elsewhere (section 8.3).
 */
export function isRegisteredRedirectUri(requested: string, registered: readonly string[]): boolean {
  if (registered.includes(requested)) return true
  const withoutPort = loopbackWithoutPort(requested)
  return withoutPort !== undefined && registered.some((uri) => loopbackWithoutPort(uri) === withoutPort)
}

/** What of a registered redirect URI is compared: without the port where that may differ. */
export function comparableRedirectUri(uri: string): string {
  return loopbackWithoutPort(uri) ?? uri
}

function loopbackWithoutPort(uri: string): string | undefined {
  const [whole, before, port = '80', after] = loopbackPattern.exec(uri) ?? []
  return whole !== undefined && Number(port) <= 65_535 ? `${before}${after}` : undefined
}

/**
 * Whether a redirect goes to a program on the user's device, where another program can wait for it (RFC 8252 section
 * 8.6): a loopback or private-use URI, so anything but https.
 */
export function staysOnDevice(redirectUri: string): boolean {
  return !/^https:/i.test(redirectUri)
}
