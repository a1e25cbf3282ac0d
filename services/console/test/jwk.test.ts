import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hash,
  type KeyObject,
  X509Certificate,
} from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { readKeys } from '../src/clients/keys/jwk.ts'
import { madeAlgorithms, makeKey } from '../src/clients/keys/made-key.ts'

// The keys of clients, as the console reads and makes them.

const pair = {
  'P-256': generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  Ed25519: generateKeyPairSync('ed25519'),
  RSA: generateKeyPairSync('rsa', { modulusLength: 2048 }),
}
const pemOf = (key: KeyObject, type: 'spki' | 'pkcs8') => String(key.export({ format: 'pem', type }))

describe.each(Object.entries(pair))('a key with %s', (_, { publicKey, privateKey }) => {
  test('is read from PEM as the same key, whatever white space is around it', async () => {
    const read = await readKeys(`\n  ${pemOf(publicKey, 'spki')}\r\n`)
    expect(read).toEqual({ keys: [publicKey.export({ format: 'jwk' })] })
  })

  test('is refused when it is the private one', async () => {
    const jwk = privateKey.export({ format: 'jwk' })
    for (const text of [pemOf(privateKey, 'pkcs8'), JSON.stringify(jwk), JSON.stringify({ keys: [jwk] })])
      expect(await readKeys(text)).toEqual({ fault: 'private' })
  })
})

const certificate = `
-----BEGIN CERTIFICATE-----
MIIBljCCAT2gAwIBAgIUN+ST/tStqH2Beb84dU4Fl5+GFY8wCgYIKoZIzj0EAwIw
IDEQMA4GA1UECgwHRXhhbXBsZTEMMAoGA1UEAwwDYXBwMCAXDTI2MTEyNzIxNTA1
MVoYDzIxMjYxMTAzMjE1MDUxWjAgMRAwDgYDVQQKDAdFeGFtcGxlMQwwCgYDVQQD
DANhcHAwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATs28AEmXvTJDPOnhlHlqUE
2fNMyQ7jmoVEEsDRf5a94IP52vmOeyNcI+ypdmmrrSkD7juPiIva7H38StE6uTl4
o1MwUTAdBgNVHQ4EFgQUZeR+b+GdY8I9xrsmDw9bOUO1R2YwHwYDVR0jBBgwFoAU
ZeR+b+GdY8I9xrsmDw9bOUO1R2YwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQD
AgNHADBEAiBm+iwC9taow6vB4D/FPIAEMf2byYkNhpPvvTFNl+Cq5wIgR9Lg6RQB
zs7jAAwLRjt+SO8IzYIO7L2FW5r9SUHiU+M=
-----END CERTIFICATE-----
`

test('a certificate is its key with itself as x5c', async () => {
  const { publicKey, raw } = new X509Certificate(certificate)
  const jwk = { ...publicKey.export({ format: 'jwk' }), x5c: [raw.toString('base64')] }
  expect(await readKeys(certificate)).toEqual({ keys: [jwk] })
  const [first = ''] = jwk.x5c
  // Nothing is thrown, wherever it is cut off.
  for (let length = 0; length < first.length; length += 4) {
    const cut = `-----BEGIN CERTIFICATE-----\n${first.slice(0, length)}\n-----END CERTIFICATE-----`
    expect(await readKeys(cut)).toEqual({ fault: 'unreadable' })
  }
})

test('a key and a set of keys are taken with all that they have', async () => {
  const jwk = { ...pair['P-256'].publicKey.export({ format: 'jwk' }), kid: 'one', use: 'sig' }
  expect(await readKeys(JSON.stringify(jwk))).toEqual({ keys: [jwk] })
  expect(await readKeys(JSON.stringify({ keys: [jwk, jwk] }))).toEqual({ keys: [jwk, jwk] })
})

test.each([
  ['', 'unreadable'],
  ['{', 'unreadable'],
  ['{}', 'unreadable'],
  ['{"keys":[]}', 'unreadable'],
  ['{"keys":[null]}', 'unreadable'],
  ['{"kty":"oct"}', 'private'],
  ['ssh-ed25519 AAAA', 'unreadable'],
  ['-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----', 'unreadable'],
  ['-----BEGIN RSA PRIVATE KEY-----\nAAAA', 'private'],
  ['-----BEGIN CERTIFICATE-----\nAAAA', 'unreadable'],
  ['-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----', 'unreadable'],
])('%j is %s', async (text, fault) => {
  expect(await readKeys(text)).toEqual({ fault })
})

test.each(madeAlgorithms)('a key that is made for %s is one key in three forms', async (algorithm) => {
  const { publicKey, kid, jwk, pem } = await makeKey(algorithm)
  // RFC 7638 section 3: the members that the type needs, in the order of their names.
  const { alg: _alg, kid: _kid, use: _use, ...needed } = publicKey
  const inOrder = Object.fromEntries(Object.entries(needed).sort(([one], [other]) => (one < other ? -1 : 1)))
  expect(kid).toBe(hash('sha256', JSON.stringify(inOrder), 'base64url'))
  expect(publicKey).toMatchObject({ kid, use: 'sig' })
  expect(await readKeys(JSON.stringify(publicKey))).toEqual({ keys: [publicKey] })
  const named = JSON.parse(jwk) as Record<string, unknown>
  expect(named).toMatchObject({ ...publicKey, d: expect.any(String) })
  const bare = createPublicKey({ key: publicKey as never, format: 'jwk' })
  for (const key of [createPrivateKey(pem), createPrivateKey({ key: named as never, format: 'jwk' })])
    expect(createPublicKey(key).equals(bare)).toBe(true)
})
