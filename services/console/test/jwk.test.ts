import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { calculateJwkThumbprint, type JWK } from 'jose'
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
  ['-----BEGIN CERTIFICATE-----\nAAAA', 'certificate'],
])('%j is %s', async (text, fault) => {
  expect(await readKeys(text)).toEqual({ fault })
})

test.each(madeAlgorithms)('a key that is made for %s is one key in three forms', async (algorithm) => {
  const { publicKey, kid, jwk, pem } = await makeKey(algorithm)
  expect(kid).toBe(await calculateJwkThumbprint(publicKey as unknown as JWK))
  expect(publicKey).toMatchObject({ kid, use: 'sig' })
  expect(await readKeys(JSON.stringify(publicKey))).toEqual({ keys: [publicKey] })
  const named = JSON.parse(jwk) as JWK
  expect(named).toMatchObject({ ...publicKey, d: expect.any(String) })
  const bare = createPublicKey({ key: publicKey as never, format: 'jwk' })
  for (const key of [createPrivateKey(pem), createPrivateKey({ key: named as never, format: 'jwk' })])
    expect(createPublicKey(key).equals(bare)).toBe(true)
})
