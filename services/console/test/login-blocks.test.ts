import { expect, test } from 'vitest'
import { blocksOf, verdictOf } from '../src/users/login-blocks.ts'

const now = Date.parse('2030-01-01T00:00:00Z')
const problem = (code: string, seconds?: number, address?: string) => ({
  code,
  explanation: '',
  remedy: '',
  ...(seconds !== undefined && { until: new Date(now + seconds * 1_000).toISOString() }),
  ...(address !== undefined && { ip_address: address }),
})

test('blocked passwords are counted by address, until the last one is free', () => {
  const problems = [
    problem('email_unverified'),
    problem('too_many_failures', 61, '192.0.2.1'),
    problem('too_many_failures', 13 * 60 + 5, '192.0.2.2'),
    problem('too_many_codes', 1),
  ]
  expect(blocksOf(problems, now)).toEqual([
    { of: 'too_many_codes', addresses: 0, minutes: 1 },
    { of: 'too_many_failures', addresses: 2, minutes: 14 },
  ])
  expect(blocksOf([problem('too_many_failures', -5)], now)).toEqual([
    { of: 'too_many_failures', addresses: 0, minutes: 1 },
  ])
})

test('who has a limit that blocks nothing can log in', () => {
  expect(verdictOf([])).toBe('can')
  expect(verdictOf([problem('email_unverified'), problem('no_password')])).toBe('can')
  expect(verdictOf([problem('too_many_failures', 60, '192.0.2.1')])).toBe('hindered')
  expect(verdictOf([problem('too_many_codes', 60), problem('disabled')])).toBe('cannot')
  expect(verdictOf(undefined)).toBe('hindered')
})
