import { scrypt as deriveKey, type ScryptOptions, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { decode, type HashFormat, mostMemory, shortestHash } from './hash-format.ts'

const derive: (password: string, salt: Buffer, length: number, options: ScryptOptions) => Promise<Buffer> =
  promisify(deriveKey)

/** Blocks for all lanes together. */
const mostWork = 1_048_576
const slowWork = 262_144

const pattern = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,4}),p=(\d{1,4})\$([^$]+)\$([^$]+)$/

/** scrypt (RFC 7914) in the PHC string format: `$scrypt$ln=17,r=8,p=1$salt$hash`, where ln is the base-2 logarithm of N. */
export const scrypt: HashFormat = {
  begins: /^\$scrypt/,
  read(text) {
    const [, ln, rText, pText, saltText = '', hashText = ''] = pattern.exec(text) ?? []
    const [N, r, p] = [2 ** Number(ln), Number(rText), Number(pText)]
    const salt = decode(saltText, 1, 128)
    const hash = decode(hashText, shortestHash, 512)
    // RFC 7914 section 2.
    const isPossible = N > 1 && r > 0 && p > 0 && N < 2 ** (16 * r)
    if (!isPossible || !salt || !hash) return undefined
    const bytes = 128 * r * (N + p)
    const memory = Math.ceil((128 * r * N) / 1_024)
    const isTooMuch = memory > mostMemory || N * r * p > mostWork
    return {
      text,
      memory,
      slow: N * r * p > slowWork,
      excess: isTooMuch
        ? `has a cost that is too high: at most 2^ln times r times p=${mostWork}, and ${mostMemory / 1_024} MiB`
        : undefined,
      matches: async (password) =>
        timingSafeEqual(await derive(password, salt, hash.length, { N, r, p, maxmem: 2 * bytes }), hash),
    }
  },
}
