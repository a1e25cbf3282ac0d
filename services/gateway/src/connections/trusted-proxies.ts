import { ConfigurationError } from '@gatehouse/kit/config/config'
import { addressesIn, addressRange } from '@gatehouse/kit/fetch/address-ranges'

/**
 * The proxies whose X-Forwarded-For is trusted, as fastify takes them. Never everybody: then any caller could claim any
 * address.
 * @param value the value of OAUTH2_SERVER_TRUST_PROXY_HEADERS
 * @throws ConfigurationError when an address is invalid, or a CIDR covers all addresses
 */
export function trustedProxies(value: string): TrustedProxies {
  if (value === 'false') return false
  if (value !== 'true' && !/^\d+$/.test(value)) {
    const wrong = value.split(',').find((network) => !isNetwork(network))
    if (wrong === undefined) return value
    throw new ConfigurationError(
      `OAUTH2_SERVER_TRUST_PROXY_HEADERS must be ${trustedProxiesRule}; ${JSON.stringify(wrong)} is neither`,
    )
  }
  const proxies = value === 'true' ? 1 : Number(value)
  return (_address, hop) => hop < proxies
}

/**
 * Tells which connections come from a trusted proxy.
 * @returns a function of the address that a connection comes from. Where proxies are trusted by their number, every connection does.
 */
export function isTrustedProxy(proxies: TrustedProxies): (address: string) => boolean {
  if (typeof proxies !== 'string') return () => proxies !== false
  return addressesIn(proxies.split(','))
}

/** The rule for the value of OAUTH2_SERVER_TRUST_PROXY_HEADERS, in words. */
export const trustedProxiesRule =
  'false, true (one proxy), a number of proxies up to 99, or addresses and CIDRs of proxies, separated by commas'

function isNetwork(network: string): boolean {
  return (addressRange(network)?.bits ?? 0) >= 1
}

/** Nobody; addresses and CIDRs, separated by commas; or a function that decides by the number of hops from here. */
export type TrustedProxies = false | string | ((address: string, hop: number) => boolean)
