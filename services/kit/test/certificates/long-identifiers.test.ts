import { generateKeyPairSync, sign } from 'node:crypto'
import { readCertificate } from '@gatehouse/kit/certificates/certificate'
import { objectIdentifierOf } from '@gatehouse/kit/certificates/der'
import { expect, test } from 'vitest'

// Reading one costs the square of its length: 16 ms of the event loop for 8 KB. RFC 5280 appendix B: clients need not take more than 20 parts.

function der(tag: number, ...contents: Buffer[]): Buffer {
  const content = Buffer.concat(contents)
  const { length } = content
  const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...head]), content])
}

/** An identifier whose last number has this many bytes. */
function identifier(length: number): Buffer {
  const bytes = Buffer.alloc(length, 0xff)
  bytes[0] = 0xaa
  bytes[length - 1] = 0x7f
  return bytes
}

/** A self-signed certificate with a purpose of a stranger's choice. */
function certificateFor(purpose: Buffer): Buffer {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const algorithm = der(0x30, Buffer.from('06032b6570', 'hex'))
  const name = der(0x30, der(0x31, der(0x30, Buffer.from('0603550403', 'hex'), der(0x0c, Buffer.from('x')))))
  const times = ['260101000000Z', '300101000000Z'].map((time) => der(0x17, Buffer.from(time)))
  const usage = der(0x30, Buffer.from('0603551d25', 'hex'), der(0x04, der(0x30, der(0x06, purpose))))
  const key = publicKey.export({ type: 'spki', format: 'der' })
  const signed = der(
    0x30,
    ...[der(0xa0, Buffer.from('020102', 'hex')), Buffer.from('020101', 'hex'), algorithm, name],
    ...[der(0x30, ...times), name, key, der(0xa3, der(0x30, usage))],
  )
  return der(0x30, signed, algorithm, der(0x03, Buffer.from([0]), sign(null, signed, privateKey)))
}

test('a certificate with an identifier of thousands of bytes is not read', () => {
  expect(readCertificate(certificateFor(identifier(10)))).toBeDefined()
  expect(readCertificate(certificateFor(identifier(7_000)))).toBeUndefined()
})

test('such an identifier is refused before it is computed', () => {
  const content = identifier(7_000)
  expect(() => objectIdentifierOf({ tag: 0x06, content, bytes: content })).toThrow('no object identifier')
})
