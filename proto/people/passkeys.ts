/**
 * The domain to which passkeys are bound (the RP ID of WebAuthn Level 3 section 5.4.2): the host of the public base URL.
 * @returns undefined where browsers offer no passkeys: without https, except on localhost, and at an IP address
 */
export function passkeyDomain(publicBaseUrl: string): string | undefined {
  const { protocol, hostname } = new URL(publicBaseUrl)
  const local = hostname === 'localhost' || hostname.endsWith('.localhost')
  // A URL parser writes every IPv4 address with four numbers, and IPv6 addresses in brackets.
  if (/^[\d.]+$|^\[/.test(hostname)) return undefined
  return protocol === 'https:' || local ? hostname : undefined
}
