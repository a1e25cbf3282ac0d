import { isIPv6 } from 'node:net'

/**
 * What a caller is counted by: an IPv4 address, or the /64 of an IPv6 one, since whoever has one address has its
 * whole /64. An IPv4 address that is mapped into IPv6 (RFC 4291 section 2.5.5.2) is the IPv4 address.
 * @param ipAddress as the gateway saw it; what is no address counts as it is
 */
export function networkOf(ipAddress: string): string {
  const [address = '', zone] = ipAddress.split('%', 2)
  if (!isIPv6(ipAddress)) return ipAddress
  // The URL parser brings every spelling to one, in hexadecimal throughout.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const left = head.split(':').filter(Boolean)
  const right = tail?.split(':').filter(Boolean) ?? []
  const zeros = new Array<string>(8 - left.length - right.length).fill('0')
  const groups = [...left, ...zeros, ...right]
  if (groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff') {
    return groups
      .slice(6)
      .map((group) => Number.parseInt(group, 16))
      .flatMap((word) => [word >> 8, word & 0xff])
      .join('.')
  }
  return `${groups.slice(0, 4).join(':')}::/64${zone === undefined ? '' : `%${zone}`}`
}
