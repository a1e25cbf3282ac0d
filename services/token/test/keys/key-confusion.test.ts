import { createHmac, createPublicKey, type KeyObject, randomUUIDv7, sign as signNow } from 'node:crypto'
import { type KeyPairAlgorithm, keyPairAlgorithms } from '@gatehouse/proto/algorithms'
import { makeJwt } from '@gatehouse/test/jwt'
import { describe, expect, test } from 'vitest'
import { createJwtSigner } from '../../src/keys/jwt.ts'
import { createKeyEncryption } from '../../src/keys/key-encryption.ts'
import { createKeyPair, generatePrivateKey } from '../../src/keys/key-pair.ts'
import { createSigningKeys, type SigningKeyRecord } from '../../src/keys/signing-keys.ts'
import { createAccessTokenSigner } from '../../src/tokens/access-token.ts'
import { claims, secret } from './key-replica.ts'

// One replica with an active key of every algorithm. Anybody who can read the key set has all public keys; nothing that they
// make of them may pass.

const issuer = claims.iss
const encryption = createKeyEncryption(secret)
const privateKeys = new Map<string, KeyObject>()
const someRecord = {
  state: 'active',
  createdAt: new Date(0),
  activatesAt: undefined,
  isDue: false,
  verifiesUntil: undefined,
  verifiesFor: Number.POSITIVE_INFINITY,
} as const
const records: SigningKeyRecord[] = [
  { ...someRecord, kid: 'default', algorithm: 'HS256', encryptedKey: undefined },
]
for (const algorithm of keyPairAlgorithms) {
  const privateKey = await generatePrivateKey(algorithm)
  const { kid } = await createKeyPair(algorithm, privateKey)
  privateKeys.set(algorithm, privateKey)
  const encryptedKey = encryption.encrypt(privateKey, { kid, algorithm })
  records.push({ ...someRecord, kid, algorithm, encryptedKey })
}
const reads = { count: 0 }
const keys = createSigningKeys({
  secret,
  encryption,
  store: {
    async list() {
      reads.count += 1
      return records
    },
  },
  monotonicNow: () => performance.now(),
  sleep: async () => undefined,
  wereRead: () => undefined,
})
await keys.refresh()
const jwts = createJwtSigner(keys)
const signerOf = (algorithm: KeyPairAlgorithm) =>
  createAccessTokenSigner(keys, { algorithm, issuer, audience: issuer })
const verify = async (token: string) => signerOf('ES256').verify(token)
const kidOf = (algorithm: string) => records.find((record) => record.algorithm === algorithm)?.kid ?? ''
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
/** A token with any header and content, signed with the private key of an algorithm as that algorithm does. */
const forged = async (header: unknown, algorithm: KeyPairAlgorithm, content: unknown = claims) => {
  const text = `${encode(header)}.${encode(content)}`
  const pair = await createKeyPair(algorithm, privateKeys.get(algorithm) as KeyObject)
  return `${text}.${await pair.sign(text)}`
}

describe.each(keyPairAlgorithms)('with %s', (algorithm) => {
  const kid = kidOf(algorithm)
  const header = { alg: algorithm, typ: 'at+jwt', kid }

  test('an access token has the claims that were signed', async () => {
    const token = await signerOf(algorithm).sign(claims)
    expect(await verify(token)).toEqual(claims)
    expect(await forged(header, algorithm).then(verify)).toEqual(claims)
  })

  test('nothing that is signed with the public key as an HMAC secret passes', async () => {
    const publicKey = createPublicKey(privateKeys.get(algorithm) as KeyObject)
    const secrets = [
      publicKey.export({ format: 'pem', type: 'spki' }),
      publicKey.export({ format: 'der', type: 'spki' }),
      JSON.stringify(publicKey.export({ format: 'jwk' })),
      '',
    ]
    for (const hmacSecret of secrets) {
      for (const alg of ['HS256', 'HS384', algorithm]) {
        for (const named of [{ kid }, {}]) {
          const text = `${encode({ alg, typ: 'at+jwt', ...named })}.${encode(claims)}`
          const signature = createHmac('sha256', hmacSecret).update(text).digest('base64url')
          expect(await verify(`${text}.${signature}`)).toBeUndefined()
        }
      }
    }
  })

  test.each<[string, unknown]>([
    ['alg none', { alg: 'none', typ: 'at+jwt', kid }],
    ['alg NONE', { alg: 'NONE', typ: 'at+jwt', kid }],
    ['HS256 and the kid of the pair', { alg: 'HS256', typ: 'at+jwt', kid }],
    ['another order', { typ: 'at+jwt', alg: algorithm, kid }],
    [
      'a key of its own',
      { ...header, jwk: createPublicKey(privateKeys.get(algorithm) as KeyObject).export({ format: 'jwk' }) },
    ],
    ['an address of keys', { ...header, jku: 'https://evil.example/jwks.json' }],
    ['certificates', { ...header, x5c: [] }],
    ['a critical extension', { ...header, crit: ['b64'], b64: false }],
    ['no kid', { alg: algorithm, typ: 'at+jwt' }],
    ['the kid of the secret', { alg: algorithm, typ: 'at+jwt', kid: 'default' }],
    ['a kid that is a UUID', { alg: algorithm, typ: 'at+jwt', kid: randomUUIDv7() }],
    ['a path as kid', { alg: algorithm, typ: 'at+jwt', kid: `../../${kid.slice(6)}` }],
    ['no type', { alg: algorithm, kid }],
    ['the type in capitals', { alg: algorithm, typ: 'AT+JWT', kid }],
  ])('a header with %s never passes, even with a valid signature', async (_, changed) => {
    const before = reads.count
    const token = await forged(changed, algorithm)
    expect(await verify(token)).toBeUndefined()
    expect(await verify(token.replace(/[^.]*$/, ''))).toBeUndefined()
    // Nor does it cause a look-up.
    expect(reads.count).toBe(before)
  })

  test('the kid of a key of another algorithm never passes', async () => {
    for (const other of keyPairAlgorithms) {
      if (other === algorithm) continue
      expect(await verify(await forged({ ...header, kid: kidOf(other) }, algorithm))).toBeUndefined()
      expect(
        await verify(await forged({ ...header, alg: other, kid: kidOf(other) }, algorithm)),
      ).toBeUndefined()
      expect(await verify(await forged({ ...header, alg: other }, algorithm))).toBeUndefined()
    }
  })

  test('an ID token or logout token never passes as an access token, nor one as another', async () => {
    const types = ['JWT', 'logout+jwt'] as const
    for (const type of types) {
      const token = await jwts.signJwt({ algorithm, type, claims })
      expect(await verify(token)).toBeUndefined()
      for (const asked of types) {
        expect(await jwts.verifyJwt(token, { type: asked })).toEqual(asked === type ? claims : undefined)
      }
      const accessToken = await signerOf(algorithm).sign(claims)
      expect(await jwts.verifyJwt(accessToken, { type })).toBeUndefined()
    }
  })

  test('an expired JWT has its claims, and one whose content is no object has none', async () => {
    const jwt = { algorithm, type: 'JWT' } as const
    const token = await jwts.signJwt({ ...jwt, claims: { sub: 'user-1', exp: 1 } })
    expect(await jwts.verifyJwt(token, { type: 'JWT' })).toEqual({ sub: 'user-1', exp: 1 })
    const idHeader = { ...header, typ: 'JWT' }
    for (const content of [null, [claims], 'text', 1]) {
      expect(
        await jwts.verifyJwt(await forged(idHeader, algorithm, content), { type: 'JWT' }),
      ).toBeUndefined()
    }
    const longer = await forged(idHeader, algorithm, { a: 'x'.repeat(10_000) })
    expect(await jwts.verifyJwt(longer, { type: 'JWT' })).toBeUndefined()
  })
})

test('RS256 and PS256 signatures are not taken for each other', async () => {
  const privateKey = privateKeys.get('RS256') as KeyObject
  const text = `${encode({ alg: 'RS256', typ: 'at+jwt', kid: kidOf('RS256') })}.${encode(claims)}`
  const { constants } = await import('node:crypto')
  const pss = { key: privateKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }
  const signature = signNow('sha256', Buffer.from(text), pss).toString('base64url')
  expect(await verify(`${text}.${signature}`)).toBeUndefined()
})

test('the holder of the secret makes no ID token, and no token of a key pair', async () => {
  const hs256 = { alg: 'HS256', typ: 'JWT' }
  expect(await jwts.verifyJwt(makeJwt(hs256, claims, secret), { type: 'JWT' })).toBeUndefined()
  const named = { alg: 'ES256', typ: 'at+jwt', kid: kidOf('ES256') }
  expect(await verify(makeJwt(named, claims, secret))).toBeUndefined()
})

test('the key set has the public keys of all pairs, and no symmetric key', () => {
  expect(keys.published().map(({ alg, kid }) => [alg, kid])).toEqual(
    keyPairAlgorithms.map((algorithm) => [algorithm, kidOf(algorithm)]),
  )
  expect(JSON.stringify(keys.published())).not.toMatch(/"oct"|"k"|"d"/)
})

test('invented kids of key pairs cost at most ten reads a second, and are remembered', async () => {
  const clock = { now: 0 }
  const counted = { reads: 0 }
  const slept: number[] = []
  const replica = createSigningKeys({
    secret,
    encryption,
    store: {
      async list() {
        counted.reads += 1
        return records
      },
    },
    monotonicNow: () => clock.now,
    async sleep(milliseconds) {
      slept.push(milliseconds)
      clock.now += milliseconds
    },
    wereRead: () => undefined,
  })
  await replica.refresh()
  const invented = () => {
    const kid = Buffer.from(randomUUIDv7().padEnd(32, 'x').slice(0, 32)).toString('base64url')
    return `${encode({ alg: 'ES256', typ: 'at+jwt', kid })}.e30.${'A'.repeat(86)}`
  }
  const first = invented()
  for (const token of [first, invented(), invented()]) {
    expect(await replica.find(token, 'at+jwt')).toBeUndefined()
  }
  expect(slept).toEqual([100, 100])
  expect(counted.reads).toBe(4)
  expect(replica.find(first, 'at+jwt')).toBeUndefined()
  expect(counted.reads).toBe(4)
})
