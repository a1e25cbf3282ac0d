import { expect, test } from 'vitest'
import { createFetchBudget } from '../../src/documents/fetch-budget.ts'

type Outcome = 'answered' | 'unavailable'

/** A budget at a time that the test sets. */
function budget() {
  const clock = { now: 0 }
  const take = createFetchBudget(() => clock.now)
  /** How many of these readings were allowed, each of which ends at once. */
  const granted = (
    count: number,
    hostOf: (index: number) => string,
    ipAddress?: string,
    outcome: Outcome = 'answered',
  ) =>
    Array.from({ length: count }, (_, index) => {
      const place = take(hostOf(index), ipAddress)
      place?.end(outcome)
      return place
    }).filter((place) => place !== undefined).length
  return { clock, take, granted }
}
const anyHost = (index: number) => `host${index}.example`
const oneHost = () => 'one.example'

test('a network has 20 documents a minute, 10 of them from one host, and takes nothing from another one', () => {
  const { clock, granted } = budget()
  expect(granted(30, oneHost, '192.0.2.1')).toBe(10)
  expect(granted(30, anyHost, '192.0.2.1')).toBe(10)
  expect(granted(30, anyHost, '192.0.2.2')).toBe(20)
  clock.now = 60_000
  expect(granted(30, anyHost, '192.0.2.1')).toBe(20)
})

test('the addresses of an IPv6 /64 are one network, as a mapped IPv4 address is that address', () => {
  const { granted } = budget()
  expect(granted(20, anyHost, '2001:db8:1:2::1')).toBe(20)
  expect(granted(1, anyHost, '2001:db8:1:2:ffff::9')).toBe(0)
  expect(granted(1, anyHost, '2001:db8:1:3::1')).toBe(1)
  expect(granted(20, anyHost, '192.0.2.1')).toBe(20)
  expect(granted(1, anyHost, '::ffff:192.0.2.1')).toBe(0)
})

test('a network has 5 unfinished readings', () => {
  const { take, granted } = budget()
  const places = Array.from({ length: 6 }, (_, index) => take(anyHost(index), '192.0.2.1'))
  expect(places.map(Boolean)).toEqual([true, true, true, true, true, false])
  expect(granted(1, anyHost, '192.0.2.2')).toBe(1)
  places[0]?.end('unavailable')
  expect(granted(1, oneHost, '192.0.2.1')).toBe(1)
})

test('one host has 60 documents a minute, whoever asks', () => {
  const { granted } = budget()
  const ofNetworks = Array.from({ length: 8 }, (_, index) => granted(10, oneHost, `192.0.2.${index}`))
  expect(ofNetworks.reduce((sum, one) => sum + one)).toBe(60)
})

test('hosts that do not answer use up the share of their callers alone', () => {
  const { granted } = budget()
  for (let caller = 0; caller < 40; caller += 1)
    expect(granted(20, (index) => `h${caller}-${index}.example`, `198.51.100.${caller}`, 'unavailable')).toBe(
      20,
    )
  expect(granted(20, anyHost, '192.0.2.1')).toBe(20)
})

test('in all there are 200 documents a minute, and a network that had none yet still gets two', () => {
  const { granted } = budget()
  const callers = Array.from({ length: 20 }, (_, caller) =>
    granted(20, (index) => `h${caller}-${index}.example`, `198.51.100.${caller}`),
  )
  expect(callers).toEqual([...Array(10).fill(20), ...Array(10).fill(2)])
  expect(granted(5, anyHost, '192.0.2.1')).toBe(2)
  const many = Array.from({ length: 150 }, (_, caller) =>
    granted(2, (index) => `m${caller}-${index}`, `203.0.113.${caller}`),
  )
  expect(many.reduce((sum, one) => sum + one)).toBe(400 - 222)
})

test('requests without an address share what is left in all', () => {
  const { granted } = budget()
  expect(granted(300, anyHost)).toBe(200)
})

test('a place that ends in a later minute gives nothing back to it', () => {
  const { clock, take, granted } = budget()
  const place = take('slow.example', '192.0.2.1')
  clock.now = 60_000
  expect(granted(200, anyHost)).toBe(200)
  place?.end('unavailable')
  expect(granted(1, oneHost)).toBe(0)
})
