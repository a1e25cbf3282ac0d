import { Refusal } from '@gatehouse/kit/errors'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { grantScope } from '../../src/clients/scope.ts'

const refusalOf = (requested: string, allowed: string): Refusal => {
  try {
    return expect.unreachable(`it granted ${grantScope(requested, allowed)}`)
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

test.each([
  ['', 'read write', 'read write'],
  ['read', 'read write', 'read'],
  ['write read', 'read write', 'write read'],
  ['read write', 'read write', 'read write'],
  ['read read', 'read write', 'read'],
])('grants a request for %j out of %j as %j', (requested, allowed, granted) => {
  expect(grantScope(requested, allowed)).toBe(granted)
})

test('refuses the request for one value that is not allowed, and names it', () => {
  const refusal = refusalOf('read admin delete', 'read write')
  expect(refusal).toMatchObject({
    code: 'invalid_scope',
    description: expect.stringContaining('admin delete'),
  })
})

test.each(['Read', 'rea', 'readwrite', 'read-write'])(
  'compares whole values, so %j is not allowed',
  (word) => {
    expect(refusalOf(word, 'read write').code).toBe('invalid_scope')
  },
)

test.each([
  ' read',
  'read ',
  'read  write',
  'read\twrite',
  'read\nwrite',
  'réad',
  'read"',
  're\\ad',
  ' ',
  'a\u00a0b',
])('refuses the malformed scope %j', (requested) => {
  const { code, description } = refusalOf(requested, 'read write')
  expect(code).toBe('invalid_scope')
  // RFC 6749 section 5.2 allows only these characters in a description.
  expect(description).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/)
})

test('grants exactly the requested scope, if all of it is allowed', () => {
  const words = fc.uniqueArray(fc.constantFrom(...'abcdef'), { minLength: 1 })
  fc.assert(
    fc.property(words, words, (requested, allowed) => {
      const inside = requested.every((word) => allowed.includes(word))
      const [asked, may] = [requested.join(' '), allowed.join(' ')]
      if (inside) expect(grantScope(asked, may)).toBe(asked)
      else expect(refusalOf(asked, may).code).toBe('invalid_scope')
    }),
  )
})

test('does not repeat a value that may be a secret in the wrong place', () => {
  const secret = 'k'.repeat(43)
  expect(() => grantScope(`read ${secret} admin`, 'read')).toThrow(
    'The client may not have this scope: (a long word) admin',
  )
})
