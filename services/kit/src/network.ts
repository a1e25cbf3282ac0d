import { isIPv4, isIPv6 } from 'node:net'

/**
 * The network that a caller is counted under: an IPv4 address, or the /64 of an IPv6 address, since a host usually has
 * the whole /64. An IPv4 address that is mapped into IPv6 (RFC 4291 section 2.5.5.2) or translated to it (RFC 6052
 * section 2.1) counts as the IPv4 address. A port, which some proxies add, is ignored.
 * @param ipAddress as the gateway saw it; a text that is not an address is returned unchanged
 */
export function networkOf(ipAddress: string): string {
  if (isIPv4(ipAddress)) return ipAddress
  const bare = ipAddress.replace(/^\[([^\]]*)\](?::\d+)?$|^([\d.]+):\d+$/, '$1$2')
  if (!isIPv6(bare)) return isIPv4(bare) ? bare : ipAddress
  const [address = '', zone] = bare.split('%', 2)
  // The URL parser normalizes every spelling to one, in hexadecimal throughout.
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
