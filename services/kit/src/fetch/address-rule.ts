import { isIP } from 'node:net'
import { ConfigurationError } from '../config/configuration-error.ts'
import { bareHost } from '../host.ts'
import { addressesIn, addressRange } from './address-ranges.ts'
import { isPublicAddress } from './public-address.ts'

/** Which addresses requests may go to, when somebody else chose the URL. */
export type AddressRule = {
  /** Whether some addresses may be connected to without TLS. */
  readonly someWithoutTls: boolean
  /**
   * @param address an IPv4 or IPv6 address, without brackets
   * @param protocol as in the URL
   */
  allows(address: string, protocol: Protocol): boolean
}

type Protocol = 'http:' | 'https:'

/** Every address, with and without TLS. */
export const anyAddress: AddressRule = { someWithoutTls: true, allows: () => true }

/**
 * The rule that allows public addresses with TLS, and all addresses of some networks with or without it.
 * @param networks the value of OAUTH2_FETCH_ALLOWED_NETWORKS: CIDR ranges with one space between two
 * @throws ConfigurationError when a range is invalid
 */
export function addressRule(networks = ''): AddressRule {
  const ranges = networks.split(' ').filter((range) => range !== '')
  const wrong = ranges.find((range) => !range.includes('/') || addressRange(range) === undefined)
  if (wrong !== undefined)
    throw new ConfigurationError(
      `OAUTH2_FETCH_ALLOWED_NETWORKS must be ${allowedNetworksRule}; ${JSON.stringify(wrong.slice(0, 60))} is not one`,
    )
  const isIn = addressesIn(ranges)
  const isAllowed = (address: string) => !address.includes('%') && isIn(address)
  return {
    someWithoutTls: ranges.length > 0,
    allows: (address, protocol) => isAllowed(address) || (protocol === 'https:' && isPublicAddress(address)),
  }
}

/** The rule for the value of OAUTH2_FETCH_ALLOWED_NETWORKS, in words. */
export const allowedNetworksRule = 'CIDR ranges such as 10.1.0.0/16 or fd00::/8, with one space between two'

/** Why no request may go to a URL, whatever its name resolves to. */
export type UrlFault = 'not https' | 'not public'

/**
 * Judges a URL before anything is resolved.
 * @returns undefined when its host is a name, or an address that the rule allows
 */
export function urlFault(url: URL, rule: AddressRule): UrlFault | undefined {
  const { protocol } = url
  if (protocol !== 'https:' && !(protocol === 'http:' && rule.someWithoutTls)) return 'not https'
  const host = bareHost(url.hostname)
  return isIP(host) === 0 || rule.allows(host, protocol) ? undefined : 'not public'
}
