import { isIP } from 'node:net'
import { ConfigurationError } from '@gatehouse/kit/config'

/**
 * Whose X-Forwarded-For is believed, in fastify's words. Never everybody's: then any caller could name any address.
 * @param value of OAUTH2_SERVER_TRUST_PROXY_HEADERS
 * @throws ConfigurationError when an address is none, or a CIDR is everybody
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

/** What OAUTH2_SERVER_TRUST_PROXY_HEADERS must be. */
export const trustedProxiesRule =
  'false, true (one proxy), a number of proxies up to 99, or addresses and CIDRs of proxies with commas between'

function isNetwork(network: string): boolean {
  const [address = '', prefix] = network.split('/')
  const bits = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0
  return bits > 0 && (prefix === undefined || (Number(prefix) >= 1 && Number(prefix) <= bits))
}

/** Nobody, addresses and CIDRs with commas between, or whether to believe the so-manieth address counted from us. */
export type TrustedProxies = false | string | ((address: string, hop: number) => boolean)
