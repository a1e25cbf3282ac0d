import { expect, test } from 'vitest'
import { addressesIn, addressRange } from '../../src/fetch/address-ranges.ts'

test.each([
  ['10.0.0.0/8', { address: '10.0.0.0', bits: 8, family: 'ipv4' }],
  ['10.0.0.1', { address: '10.0.0.1', bits: 32, family: 'ipv4' }],
  ['0.0.0.0/0', { address: '0.0.0.0', bits: 0, family: 'ipv4' }],
  ['fd00::/8', { address: 'fd00::', bits: 8, family: 'ipv6' }],
  ['::1', { address: '::1', bits: 128, family: 'ipv6' }],
])('%s is a range', (text, range) => {
  expect(addressRange(text)).toEqual(range)
})

test.each([
  ...['', '/', '/8', '10.0.0.0/', '10.0.0.0/33', '10.0.0.0/-1', '10.0.0.0/8/8', '10.0.0.0/ 8', ' 10.0.0.0/8'],
  ...['10.0/8', 'fd00::/129', 'fd00::/0008', 'fe80::1%eth0', 'fe80::%eth0/64', 'localhost', '[::1]/128'],
])('%j is no range', (text) => {
  expect(addressRange(text)).toBeUndefined()
  expect(() => addressesIn([text])).toThrow('is no range of addresses')
})

test('an address is in a range of its own version, also where it is mapped into IPv6', () => {
  const isIn = addressesIn(['10.0.0.0/8', '192.0.2.1', 'fd00::/8'])
  const inside = ['10.1.2.3', '::ffff:10.1.2.3', '::ffff:a01:203', '192.0.2.1', 'fd12::1']
  expect(inside.filter((address) => !isIn(address))).toEqual([])
  const outside = [
    '11.0.0.1',
    '::ffff:11.0.0.1',
    '::10.1.2.3',
    '192.0.2.2',
    'fe80::1',
    '',
    '10.1.2',
    'fd00::/8',
  ]
  expect(outside.filter(isIn)).toEqual([])
  expect(addressesIn([])('10.1.2.3')).toBe(false)
})

test('the zone of an address does not count', () => {
  const isIn = addressesIn(['fe80::/64'])
  expect(['fe80::1%eth0', 'fe80::1%2', 'fe80::1'].map(isIn)).toEqual([true, true, true])
  expect(['fe81::1%eth0', 'fe80:0:0:1::1%eth0'].map(isIn)).toEqual([false, false])
})
