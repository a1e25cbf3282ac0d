import { isIPv4, isIPv6 } from 'node:net'

/**
 * What a caller is counted by: an IPv4 address, or the /64 of an IPv6 one, since whoever has one address has its
 * whole /64. An IPv4 address that is mapped into IPv6 (RFC 4291 section 2.5.5.2) or translated to it (RFC 6052
 * section 2.1) is the IPv4 address. A port, which some proxies add, does not count.
 * @param ipAddress as the gateway saw it; what is no address counts as it is
 */
export function networkOf(ipAddress: string): string {
  if (isIPv4(ipAddress)) return ipAddress
  const bare = ipAddress.replace(/^\[([^\]]*)\](?::\d+)?$|^([\d.]+):\d+$/, '$1$2')
  if (!isIPv6(bare)) return isIPv4(bare) ? bare : ipAddress
  const [address = '', zone] = bare.split('%', 2)
  // The URL parser brings every spelling to one, in hexadecimal throughout.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const left = head.split(':').filter(Boolean)
  const right = tail?.split(':').filter(Boolean) ?? []
  const zeros = new Array<string>(8 - left.length - right.length).fill('0')
  const groups = [...left, ...zeros, ...right]
  if (['0:0:0:0:0:ffff', '64:ff9b:0:0:0:0'].includes(groups.slice(0, 6).join(':'))) {
    return groups
      .slice(6)
      .map((group) => Number.parseInt(group, 16))
      .flatMap((word) => [word >> 8, word & 0xff])
      .join('.')
  }
  return `${groups.slice(0, 4).join(':')}::/64${zone === undefined ? '' : `%${zone}`}`
}
