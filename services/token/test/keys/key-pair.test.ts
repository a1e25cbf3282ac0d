import { createPrivateKey, hash, sign as signNow } from 'node:crypto'
import { type KeyPairAlgorithm, keyPairAlgorithms } from '@gatehouse/proto/algorithms'
import { compactVerify, importJWK, type JWK } from 'jose'
import { describe, expect, test } from 'vitest'
import { createKeyEncryption } from '../../src/keys/key-encryption.ts'
import { createKeyPair, generatePrivateKey } from '../../src/keys/key-pair.ts'

const secret = 'a secret of at least thirty-two bytes'
const input = (header: string) => `${header}${Buffer.from('{"a":1}').toString('base64url')}`

test('the key of RFC 8037 appendix A.1 has the thumbprint of appendix A.3', async () => {
  const x = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo'
  const d = 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A'
  const privateKey = createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', d, x }, format: 'jwk' })
  const { kid, publicJwk } = await createKeyPair('EdDSA', privateKey)
  expect(kid).toBe('kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k')
  expect(JSON.stringify(publicJwk)).toBe(
    `{"crv":"Ed25519","kty":"OKP","x":"${x}","kid":"${kid}","use":"sig","alg":"EdDSA"}`,
  )
})

describe.each(keyPairAlgorithms)('a key pair of %s', (algorithm) => {
  const made = generatePrivateKey(algorithm).then(async (privateKey) => ({
    privateKey,
    pair: await createKeyPair(algorithm, privateKey),
  }))

  test('signs what an independent library verifies with the published key', async () => {
    const { pair } = await made
    const text = input(pair.headers['at+jwt'] ?? '')
    const signature = await pair.sign(text)
    const key = await importJWK(pair.publicJwk as unknown as JWK)
    const { protectedHeader, payload } = await compactVerify(`${text}.${signature}`, key)
    expect(protectedHeader).toEqual({ alg: algorithm, typ: 'at+jwt', kid: pair.kid })
    expect(Buffer.from(payload).toString()).toBe('{"a":1}')
    expect(pair.verifies(text, signature)).toBe(true)
  })

  test('is named by its RFC 7638 thumbprint, and publishes nothing private', async () => {
    const { pair, privateKey } = await made
    const { kid, use, alg, ...required } = pair.publicJwk
    expect(kid).toBe(hash('sha256', JSON.stringify(required), 'base64url'))
    expect([kid, use, alg]).toEqual([pair.kid, 'sig', algorithm])
    expect(Object.keys(required)).toEqual(
      { EC: ['crv', 'kty', 'x', 'y'], RSA: ['e', 'kty', 'n'], OKP: ['crv', 'kty', 'x'] }[required.kty],
    )
    const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k', 'oth']
    expect(Object.keys(pair.publicJwk).filter((name) => privateMembers.includes(name))).toEqual([])
    expect(JSON.stringify(pair.publicJwk)).not.toContain(privateKey.export({ format: 'jwk' }).d)
  })

  test('refuses any other signature and any other spelling of its own', async () => {
    const { pair } = await made
    const text = input(pair.headers.JWT ?? '')
    const signature = await pair.sign(text)
    const bytes = Buffer.from(signature, 'base64url')
    bytes[9] = (bytes[9] ?? 0) ^ 1
    for (const other of [
      '',
      bytes.toString('base64url'),
      bytes.subarray(1).toString('base64url'),
      `${signature}=`,
      ` ${signature}`,
      Buffer.from(signature, 'base64url').toString('base64'),
      Buffer.alloc(64).toString('base64url'),
    ]) {
      if (other !== signature) expect(pair.verifies(text, other)).toBe(false)
    }
    expect(pair.verifies(`${text}x`, signature)).toBe(false)
    const other = await createKeyPair(algorithm, await generatePrivateKey(algorithm))
    expect(other.kid).not.toBe(pair.kid)
    expect(other.verifies(text, signature)).toBe(false)
  })

  test('is encrypted for its secret, kid and algorithm alone', async () => {
    const { pair, privateKey } = await made
    const { encrypt, decrypt } = createKeyEncryption(secret)
    const identity = { kid: pair.kid, algorithm }
    const encrypted = encrypt(privateKey, identity)
    expect((await createKeyPair(algorithm, decrypt(encrypted, identity))).kid).toBe(pair.kid)
    expect(encrypt(privateKey, identity)).not.toEqual(encrypted)
    const changed = Buffer.from(encrypted)
    changed[20] = (changed[20] ?? 0) ^ 1
    for (const attempt of [
      () => createKeyEncryption(`${secret}!`).decrypt(encrypted, identity),
      () => decrypt(encrypted, { ...identity, kid: `${pair.kid.slice(0, -1)}_` }),
      () => decrypt(encrypted, { ...identity, algorithm: 'HS256' }),
      () => decrypt(changed, identity),
      () => decrypt(encrypted.subarray(0, -1), identity),
      () => decrypt(Buffer.alloc(0), identity),
    ]) {
      expect(attempt).toThrow()
    }
  })
})

test('ES256 signatures are the two numbers side by side (RFC 7518 section 3.4), and DER is refused', async () => {
  const privateKey = await generatePrivateKey('ES256')
  const pair = await createKeyPair('ES256', privateKey)
  const text = input(pair.headers['at+jwt'] ?? '')
  expect(Buffer.from(await pair.sign(text), 'base64url')).toHaveLength(64)
  const der = signNow('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'der' })
  expect(pair.verifies(text, der.toString('base64url'))).toBe(false)
})

test('RSA keys have 2048 bits', async () => {
  for (const algorithm of ['RS256', 'PS256'] satisfies KeyPairAlgorithm[]) {
    expect((await generatePrivateKey(algorithm)).asymmetricKeyDetails?.modulusLength).toBe(2048)
  }
})
