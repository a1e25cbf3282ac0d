import { generateKeyPairSync, sign, verify } from 'node:crypto'
import { expect, test } from 'vitest'
import { fromJoseSignature, toJoseSignature } from '../../src/keys/ecdsa-signature.ts'

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const inNodesForm = { dsaEncoding: 'ieee-p1363' } as const

// One in 256 numbers begins with a zero byte, and half of them have their first bit set.
test('signatures have the same content in both forms, as Node reads them', () => {
  const shapes = new Set<string>()
  for (let number = 0; number < 3_000; number += 1) {
    const data = Buffer.from(String(number))
    const der = sign('sha256', data, privateKey)
    shapes.add(`${der[3]} ${der[5 + (der[3] ?? 0)]}`)
    const signature = toJoseSignature(der)
    expect(fromJoseSignature(signature)).toEqual(der)
    if (number < 300) expect(verify('sha256', data, { ...inNodesForm, key: publicKey }, signature)).toBe(true)
  }
  expect(shapes.size).toBeGreaterThan(4)
})

test('the numbers may be small, and no other length is a signature', () => {
  const small = Buffer.alloc(64)
  small[31] = 1
  small[63] = 200
  expect(fromJoseSignature(small)?.toString('hex')).toBe('30070201010202' + '00c8')
  expect(toJoseSignature(Buffer.from('3007020101020200c8', 'hex'))).toEqual(small)
  expect(fromJoseSignature(Buffer.alloc(64))?.toString('hex')).toBe('3006020100020100')
  for (const length of [0, 63, 65, 72]) expect(fromJoseSignature(Buffer.alloc(length))).toBeUndefined()
})
