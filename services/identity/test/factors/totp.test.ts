import { randomBytes, randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { createSeedEncryption } from '../../src/factors/seed-encryption.ts'
import { base32, stepOfCode, totpCode, totpUri } from '../../src/factors/totp.ts'

/** RFC 6238 appendix B: the seed, and the last six of the eight digits. */
const seed = Buffer.from('12345678901234567890')
const vectors: [seconds: number, code: string][] = [
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
]

test.each(vectors)('gives the codes of RFC 6238: second %i', (seconds, code) => {
  expect(totpCode(seed, Math.floor(seconds / 30))).toBe(code)
  expect(stepOfCode(seed, code, seconds * 1000)).toBe(Math.floor(seconds / 30))
})

test('accepts a code one step early or late, and none further away', () => {
  const now = 1_800_000_000_000
  const step = now / 30_000
  const found = [-2, -1, 0, 1, 2].map((offset) => stepOfCode(seed, totpCode(seed, step + offset), now))
  expect(found).toEqual([undefined, step - 1, step, step + 1, undefined])
})

test('reads a code with the spaces that apps show, and nothing else', () => {
  expect(stepOfCode(seed, ' 287 082 ', 59_000)).toBe(1)
  for (const typed of ['', '28708', '2870822', '287082x', '٢٨٧٠٨٢', '-87082', '9'.repeat(10_000)])
    expect(stepOfCode(seed, typed, 59_000)).toBeUndefined()
})

test('writes a seed in base32 and in a URI that apps read', () => {
  expect(base32(seed)).toBe('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ')
  const uri = new URL(totpUri(seed, { issuer: 'auth.example:8443', username: 'ann & bob/ü' }))
  expect(uri.protocol).toBe('otpauth:')
  expect(uri.host).toBe('totp')
  expect(decodeURIComponent(uri.pathname)).toBe('/auth.example:8443:ann & bob/ü')
  expect(Object.fromEntries(uri.searchParams)).toEqual({
    secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
    issuer: 'auth.example:8443',
    algorithm: 'SHA1',
    digits: '6',
    period: '30',
  })
})

test('decrypts a seed only with the same key, for the same user, and unchanged', () => {
  const encryption = createSeedEncryption('a key of the tests with 32 characters', randomBytes)
  const [user, other] = [randomUUID(), randomUUID()]
  const encrypted = encryption.encrypt(seed, user)
  expect(encryption.decrypt(encrypted, user)).toEqual(seed)
  expect(encrypted.includes(seed)).toBe(false)
  expect(encryption.encrypt(seed, user)).not.toEqual(encrypted)
  expect(() => encryption.decrypt(encrypted, other)).toThrow()
  const another = createSeedEncryption('another key of the tests, 32 characters', randomBytes)
  expect(() => another.decrypt(encrypted, user)).toThrow()
  for (const index of encrypted.keys()) {
    const changed = Buffer.from(encrypted)
    changed[index] = (changed[index] ?? 0) ^ 1
    expect(() => encryption.decrypt(changed, user)).toThrow()
  }
  expect(() => encryption.decrypt(encrypted.subarray(0, -1), user)).toThrow()
})
