import { describe, expect, test } from 'vitest'
import { readDomain } from '../../src/organizations/domain-name.ts'
import { dnsServersOf, domainVariables } from '../../src/organizations/variables.ts'

describe('a domain that somebody typed', () => {
  test.each([
    ['example.com', 'example.com'],
    [' EXAMPLE.com. ', 'example.com'],
    ['example。com', 'example.com'],
    ['ＥＸＡＭＰＬＥ.com', 'example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['BÜCHER.example', 'xn--bcher-kva.example'],
    ['XN--BCHER-KVA.example', 'xn--bcher-kva.example'],
    ['пример.рф', 'xn--e1afmkfd.xn--p1ai'],
    ['team.example.co.uk', 'team.example.co.uk'],
    ['acme.github.io', 'acme.github.io'],
    ['corp.internal', 'corp.internal'],
  ])('%s is %s', (typed, domain) => expect(readDomain(typed)).toBe(domain))

  test.each(['com', 'co.uk', 'github.io', 'рф', 'xn--p1ai', 'foo.ck', 's3.amazonaws.com', 'localhost'])(
    '%s is refused, because anybody may register below it',
    (typed) => expect(() => readDomain(typed)).toThrow(/^domain must/),
  )

  test.each([
    ...['', '.', 'example', 'example..com', 'example.com..', '.example.com', '-a.com', 'a-.com', 'a_b.com'],
    ...[
      '*.example.com',
      'example.com:80',
      'https://example.com',
      'a@example.com',
      'ex%61mple.com',
      'a b.com',
    ],
    ...['192.0.2.1', '0x7f.1', '1.2.3.4.', '[::1]', `${'a'.repeat(64)}.com`, `${'a.'.repeat(120)}com`],
    ...['example.com\u0000', 'exa\u00admple.com', 'example\u200b.com', 'example.com/x', "example.com'"],
  ])('%j is none', (typed) => expect(() => readDomain(typed)).toThrow(/^domain must be a domain/))
})

describe('OAUTH2_DNS_SERVERS', () => {
  const { check } = domainVariables.OAUTH2_DNS_SERVERS as unknown as {
    check(variables: { OAUTH2_DNS_SERVERS?: string }): void
  }
  test.each([undefined, '192.0.2.53', '192.0.2.53:5353, 2001:db8::53,[2001:db8::53]:53,[::1]'])(
    'may be %s',
    (OAUTH2_DNS_SERVERS) =>
      expect(() => check(OAUTH2_DNS_SERVERS === undefined ? {} : { OAUTH2_DNS_SERVERS })).not.toThrow(),
  )
  test.each([
    'dns.example.com',
    '192.0.2.53,',
    '192.0.2.53:0',
    '192.0.2.53:99999',
    '[192.0.2.53]:53',
    '1.2.3',
  ])('must not be %s', (OAUTH2_DNS_SERVERS) =>
    expect(() => check({ OAUTH2_DNS_SERVERS })).toThrow(/^OAUTH2_DNS_SERVERS must/),
  )
  test('is a list', () =>
    expect(dnsServersOf({ OAUTH2_DNS_SERVERS: '192.0.2.1, 192.0.2.2' })).toEqual(['192.0.2.1', '192.0.2.2']))
})
