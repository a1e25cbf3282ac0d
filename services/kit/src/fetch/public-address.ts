import { isIPv4 } from 'node:net'
import { addressesIn } from './address-ranges.ts'

/** IPv4 addresses that are not public hosts (IANA's registry of special-purpose addresses), and clouds' metadata services. */
const refusedIpv4 = [
  '0.0.0.0/8', // this network, unspecified
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carriers' NAT; 100.100.100.200 is a cloud's metadata
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // a cloud's host, as seen by its machines
  '169.254.0.0/16', // link-local; 169.254.169.254 is most clouds' metadata
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments; 192.0.0.192 is a cloud's metadata
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // relays of 6to4
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
]

/** The same for IPv6, where public hosts have addresses only in 2000::/3. */
const refusedIpv6 = [
  '2001::/23', // protocol assignments, Teredo
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4: an IPv4 address inside
  '3fff::/20', // documentation
]

/** The NAT64 prefix (RFC 6052), through which IPv6-only hosts reach IPv4. */
const nat64 = '64:ff9b::'

const isPublicIpv6 = addressesIn(['2000::/3', `${nat64}/96`])
const isMapped = addressesIn(['::ffff:0:0/96'])
const isRefused = addressesIn([...refusedIpv4, ...refusedIpv4.map(throughNat64), ...refusedIpv6])

/** A range of IPv4 as IPv6-only hosts reach it. */
function throughNat64(range: string): string {
  const [address, bits] = range.split('/')
  return `${nat64}${address}/${96 + Number(bits)}`
}

/**
 * Whether an address belongs to a public host: it is not private, loopback, link-local, shared by a carrier, multicast,
 * unspecified, reserved or a cloud's metadata service. IPv4 addresses within IPv6 addresses are judged as IPv4.
 * @param address an IPv4 or IPv6 address, without brackets; a zone makes it link-local
 */
export function isPublicAddress(address: string): boolean {
  if (address.includes('%') || isRefused(address)) return false
  return isIPv4(address) || isMapped(address) || isPublicIpv6(address)
}
