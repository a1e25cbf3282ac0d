import { hash, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { expiringSecret, expiringSecretBytes, expiryOf } from '../src/expiring-secret.ts'
import { isSecret } from '../src/formats.ts'

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const secretOf = (expiresAt: number) => expiringSecret(randomBytes(expiringSecretBytes), expiresAt)

test.each([0, 1, 1_900_000_000, 4_294_967_295])('a secret carries its expiry, %s', (expiresAt) => {
  const secret = secretOf(expiresAt)
  expect(expiryOf(secret)).toBe(expiresAt)
  expect(isSecret(secret)).toBe(true)
})

test('a secret has all of its secret bits, and no others', () => {
  const bits = randomBytes(64)
  const secret = expiringSecret(bits, 1_900_000_000)
  expect(Buffer.from(secret, 'base64url').subarray(0, 28)).toEqual(bits.subarray(0, 28))
  expect(expiringSecret(bits.subarray(0, 28), 1_900_000_000)).toBe(secret)
})

test('a secret of an earlier release carries no expiry, whatever its bits are', () => {
  for (let time = 0; time < 1000; time += 1)
    expect(expiryOf(randomBytes(32).toString('base64url'))).toBeUndefined()
})

test.each(['', 'a', 'é'.repeat(43), `${'a'.repeat(42)}=`, 'b'.repeat(44), ` ${'b'.repeat(42)}`])(
  '%j carries no expiry',
  (text) => {
    expect(expiryOf(text)).toBeUndefined()
  },
)

test('no other text has the digest of a secret, so nobody can change its expiry', () => {
  const secret = secretOf(1_900_000_000)
  const changed = Array.from({ length: 43 }, (_, at) => at).flatMap((at) =>
    [...alphabet].map((letter) => secret.slice(0, at) + letter + secret.slice(at + 1)),
  )
  const same = changed.filter((text) => hash('sha256', text) === hash('sha256', secret))
  expect(new Set(same)).toEqual(new Set([secret]))
  expect(new Set(changed.map(expiryOf)).size).toBeGreaterThan(100)
})
