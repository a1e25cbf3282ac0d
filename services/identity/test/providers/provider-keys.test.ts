import { expect, test } from 'vitest'
import { readKeys } from '../../src/providers/provider-keys.ts'

const key = { kty: 'EC', crv: 'P-256', x: 'x', y: 'y', kid: 'one', use: 'sig', alg: 'ES256' }
const text = (...keys: unknown[]) => JSON.stringify({ keys, more: 'x' })

test('of a key only what verifies is kept', () => {
  const issuer = 'https://login.microsoftonline.com/{tenantid}/v2.0'
  const sent = { ...key, issuer, key_ops: ['verify'], x5c: ['x'.repeat(5_000)], d: 'private', k: 'secret' }
  expect(readKeys(text(sent))).toEqual({ keys: [{ ...key, issuer, key_ops: ['verify'] }] })
})

test('what is no key, or has members without an end, verifies nothing', () => {
  const long = { kty: 'RSA', n: 'x'.repeat(4_001), e: 'AQAB' }
  expect(readKeys(text(1, null, 'x', {}, { kty: 1 }, long))).toEqual({ keys: [{ kty: 'RSA', e: 'AQAB' }] })
})

test('a provider has at most 100 keys', () => {
  const many = (count: number) => text(...Array.from({ length: count }, () => key))
  expect(readKeys(many(100)).keys).toHaveLength(100)
  expect(() => readKeys(many(101))).toThrow('more than 100 keys')
})

test.each([['<html>'], ['[]'], ['null'], ['{"keys":{}}'], [undefined]])('%s is no JWK Set', (answer) => {
  expect(() => readKeys(answer)).toThrow('no JWK Set')
})
