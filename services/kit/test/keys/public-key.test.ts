import { generateKeyPairSync, hash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { readKeySet, readPublicKey } from '../../src/keys/public-key.ts'

type Jwk = Record<string, string>

const exported = { publicKeyEncoding: { format: 'jwk' }, privateKeyEncoding: { format: 'jwk' } } as never
const publicOf = ({ publicKey }: { publicKey: unknown }) => publicKey as Jwk
const keys: Record<string, Jwk> = {
  RSA: publicOf(generateKeyPairSync('rsa', { modulusLength: 2048, ...(exported as object) })),
  EC: publicOf(generateKeyPairSync('ec', { namedCurve: 'P-256', ...(exported as object) })),
  OKP: publicOf(generateKeyPairSync('ed25519', exported)),
}
const numbers: [string, string][] = [
  ['RSA', 'n'],
  ['RSA', 'e'],
  ['EC', 'x'],
  ['EC', 'y'],
  ['OKP', 'x'],
]

const withZero = (text: string) =>
  Buffer.concat([Buffer.alloc(1), Buffer.from(text, 'base64url')]).toString('base64url')
const spellings: [string, (text: string) => string][] = [
  ['with padding', (text) => `${text}=`],
  ['with a line break', (text) => `${text}\n`],
  ['with a space inside', (text) => `${text.slice(0, 2)} ${text.slice(2)}`],
  ['with a sign that is no base64url', (text) => `*${text}`],
  ['with signs of many bytes', (text) => `\u{1F}\u{1032F}${text}`],
  ['with a zero in front', withZero],
]

describe('a public key', () => {
  test.each(Object.keys(keys))('%s is read, with the thumbprint of RFC 7638', (kty) => {
    const jwk = keys[kty] as Jwk
    const sorted = Object.fromEntries(Object.entries(jwk).sort(([one], [other]) => (one < other ? -1 : 1)))
    const { thumbprint } = (readPublicKey({ ...jwk, kid: 'one' }) as { key: { thumbprint: Buffer } }).key
    expect(thumbprint).toEqual(hash('sha256', JSON.stringify(sorted), 'buffer'))
  })

  describe.each(numbers)('%s whose %s is spelled', (kty, name) => {
    test.each(spellings)('%s is wrong', (_, spelled) => {
      const jwk = keys[kty] as Jwk
      const other = { ...jwk, [name]: spelled(jwk[name] as string) }
      expect(readPublicKey(other)).toEqual({
        fault: expect.stringMatching(/^must have its numbers as base64url|^is no valid key$/),
      })
      expect(readKeySet({ keys: [jwk, other] }, 10)).toHaveProperty('fault')
    })
  })

  test('with an exponent in signs that Node.js reads as one is wrong', () => {
    expect(readPublicKey({ ...keys.RSA, e: '\u{1032F}\u{E775F}' })).toEqual({
      fault: 'must have its numbers as base64url, without padding, spaces or zeros in front',
    })
  })
})
