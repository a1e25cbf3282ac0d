import { createHmac } from 'node:crypto'

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/**
 * An authenticator app: the code of a moment (RFC 6238, with SHA-1, six digits and steps of 30 s).
 * @param secret in base32, as a page shows it
 * @param at milliseconds since the Unix epoch
 */
export function appCodeOf(secret: string, at = Date.now()): string {
  const bits = [...secret.replaceAll(' ', '')]
    .map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0'))
    .join('')
  const seed = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(at / 30_000)))
  const mac = createHmac('sha1', seed).update(counter).digest()
  const offset = (mac.at(-1) ?? 0) % 16
  return String((mac.readUInt32BE(offset) % 0x80_00_00_00) % 1_000_000).padStart(6, '0')
}
