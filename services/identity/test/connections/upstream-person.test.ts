import { expect, test } from 'vitest'
import type { LoginConnection } from '../../src/connections/login-connection.ts'
import { checkPerson } from '../../src/connections/upstream-person.ts'

const begunAt = new Date('2030-01-01T12:00:00.900Z')
const now = begunAt.getTime() + 5_000
const connection = { kind: 'oidc', tenants: [], acrValues: undefined, trustsSecondFactor: false }

/** When somebody logged in, if their provider says so many seconds after the login began. */
function authenticatedAt(seconds: number, maxAge: number | undefined) {
  const at = Math.floor(begunAt.getTime() / 1000) + seconds
  const login = { issuer: 'https://idp.example', methods: [], authenticatedAt: at }
  const person = { subject: 'ann', name: 'ann', displayName: 'Ann', claims: {}, login }
  const known = connection as unknown as LoginConnection
  const checked = checkPerson(person as never, known, { maxAge, begunAt }, now)
  return (checked.authenticatedAt?.getTime() ?? 0) - begunAt.getTime()
}

test('a login is as long ago as the provider says, and never later than now', () => {
  expect(authenticatedAt(-3_600, undefined)).toBe(-3_600_900)
  expect(authenticatedAt(60, undefined)).toBe(5_000)
})

test('a login that a request demanded is not from before the request, by whole seconds and a clock that is behind', () => {
  expect(authenticatedAt(0, 0)).toBe(0)
  expect(authenticatedAt(-5, 0)).toBe(0)
  expect(authenticatedAt(3, 0)).toBe(2_100)
  expect(authenticatedAt(-610, 600)).toBe(-600_000)
  expect(authenticatedAt(-300, 600)).toBe(-300_900)
  expect(() => authenticatedAt(-6, 0)).toThrow('auth_time')
  expect(authenticatedAt(-660, 600)).toBe(-600_000)
  expect(() => authenticatedAt(-661, 600)).toThrow('auth_time')
})
