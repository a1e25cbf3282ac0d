import { BlockList, isIP } from 'node:net'

/** A range of IP addresses, and how many of its first bits all of them share. */
export type AddressRange = { address: string; bits: number; family: 'ipv4' | 'ipv6' }

/**
 * Reads a range in CIDR notation, or a single address.
 * @returns undefined for any other text, and for an address with a zone
 */
export function addressRange(text: string): AddressRange | undefined {
  const [, address = '', written] = /^([^/%]*)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const version = isIP(address)
  if (version === 0) return undefined
  const most = version === 4 ? 32 : 128
  const bits = Number(written ?? most)
  return bits <= most ? { address, bits, family: version === 4 ? 'ipv4' : 'ipv6' } : undefined
}

/**
 * The addresses of some ranges. An IPv4 address that is mapped into IPv6 (RFC 4291 section 2.5.5.2) is in the ranges of IPv4.
 * @param ranges as `addressRange` reads them
 * @returns whether an address is in one of the ranges; a text that is no address is in none, and a zone does not count
 * @throws Error for a range that cannot be read
 */
export function addressesIn(ranges: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const text of ranges) {
    const range = addressRange(text)
    if (range === undefined) throw new Error(`${text} is no range of addresses`)
    list.addSubnet(range.address, range.bits, range.family)
  }
  return (address) => {
    const version = isIP(address)
    return version > 0 && list.check(address, version === 4 ? 'ipv4' : 'ipv6')
  }
}
