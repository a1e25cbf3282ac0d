import { loadConfig } from '@gatehouse/kit/config/load-config'
import { describe, expect, test } from 'vitest'
import { gatewayConfig } from '../../src/config.ts'
import { isTrustedProxy, trustedProxies } from '../../src/connections/trusted-proxies.ts'
import { gateway } from '../../testing/gateway.ts'

/** The caller's address that reaches the identity service. */
async function addressSeen(trust: string, forwardedFor: string | undefined, remoteAddress: string) {
  const { send, asked } = await gateway({ trustProxy: trustedProxies(trust), grantTypes: ['password'] })
  const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor }
  await send('POST', '/auth/login', 'username=ann&password=x', headers, remoteAddress)
  await send('POST', '/oauth/token', 'grant_type=password&username=ann&password=x', headers, remoteAddress)
  const [login] = asked('logIn') as { ipAddress: string }[]
  const [grant] = asked('issue') as { ipAddress: string }[]
  expect(grant?.ipAddress).toBe(login?.ipAddress)
  return login?.ipAddress
}

test.each([
  ['false', '203.0.113.9', '192.0.2.1', '192.0.2.1'],
  ['false', undefined, '192.0.2.1', '192.0.2.1'],
  ['true', '203.0.113.9', '192.0.2.1', '203.0.113.9'],
  ['true', '6.6.6.6, 203.0.113.9', '192.0.2.1', '203.0.113.9'],
  ['true', undefined, '192.0.2.1', '192.0.2.1'],
  ['1', '6.6.6.6, 203.0.113.9', '192.0.2.1', '203.0.113.9'],
  ['2', '6.6.6.6, 203.0.113.9, 198.51.100.2', '192.0.2.1', '203.0.113.9'],
  ['2', '203.0.113.9', '192.0.2.1', '203.0.113.9'],
  ['192.0.2.1', '6.6.6.6, 203.0.113.9', '192.0.2.1', '203.0.113.9'],
  ['192.0.2.1', '203.0.113.9', '192.0.2.2', '192.0.2.2'],
  ['192.0.2.0/24', '203.0.113.9', '192.0.2.77', '203.0.113.9'],
  ['192.0.2.0/24', '203.0.113.9', '192.0.3.77', '192.0.3.77'],
  ['10.0.0.0/8,192.0.2.1', '6.6.6.6, 203.0.113.9, 10.1.2.3', '192.0.2.1', '203.0.113.9'],
  ['2001:db8::/32', '203.0.113.9', '2001:db8::1', '203.0.113.9'],
  ['fe80::/64', '203.0.113.9', 'fe80::1%eth0', '203.0.113.9'],
  ['fe80::/64', '203.0.113.9', 'fe81::1%eth0', 'fe81::1%eth0'],
])('trusting %s, X-Forwarded-For %s from %s is %s', async (trust, forwardedFor, from, seen) => {
  expect(await addressSeen(trust, forwardedFor, from)).toBe(seen)
})

test('a connection from a proxy is known by its address, whose zone does not count', () => {
  const isProxy = isTrustedProxy(trustedProxies('fe80::/64'))
  expect([isProxy('fe80::1%eth0'), isProxy('fe81::1%eth0')]).toEqual([true, false])
})

describe('the variable', () => {
  const read = (value: string) => {
    const config = loadConfig(gatewayConfig, {
      OAUTH2_SERVER_PUBLIC_BASE_URL: 'http://localhost:8080',
      OAUTH2_SESSION_KEY: 'x',
      OAUTH2_TOKEN_ADDR: 'a',
      OAUTH2_CLIENT_REGISTRY_ADDR: 'a',
      OAUTH2_IDENTITY_ADDR: 'a',
      OAUTH2_EVENTS_ADDR: 'a',
      OAUTH2_SERVER_TRUST_PROXY_HEADERS: value,
    })
    return trustedProxies(config.OAUTH2_SERVER_TRUST_PROXY_HEADERS)
  }

  test.each([
    '',
    'false',
    'true',
    '1',
    '99',
    '192.0.2.1',
    '::1',
    '10.0.0.0/8,fd00::/8',
    '0.0.0.0/1',
    '::1/128',
  ])('may be %j', (value) => {
    expect(() => read(value)).not.toThrow()
  })

  test.each([
    ['a hop count of zero', '0'],
    ['a hop count that is too high', '100'],
    ['a hop count that is far too high', '999999'],
    ['all addresses', '0.0.0.0/0'],
    ['all IPv6 addresses', '::/0'],
    ['all addresses among others', '10.0.0.0/8,::/00'],
    ['a name', 'loopback'],
    ['an invalid address', '300.1.1.1'],
    ['half an address', '10.0'],
    ['hexadecimal letters', 'dead.beef'],
    ['a prefix that is too long', '10.0.0.0/33'],
    ['an empty item', '10.0.0.1,'],
    ['white space', '10.0.0.1, 10.0.0.2'],
    ['yes', 'yes'],
  ])('may not be %s: %s', (_, value) => {
    expect(() => read(value)).toThrow(/^OAUTH2_SERVER_TRUST_PROXY_HEADERS must be false, true/)
  })
})
