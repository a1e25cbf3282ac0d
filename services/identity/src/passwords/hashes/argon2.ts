import { verify } from '@node-rs/argon2'
import { decode, type HashFormat, mostMemory, shortestHash } from './hash-format.ts'

/** In KiB, for all passes together. */
const mostWork = 1_048_576

/** In KiB, for all passes together. */
const slowWork = 196_608

const pattern =
  /^\$(argon2(?:id|i|d))\$(?:v=(16|19)\$)?m=(\d{1,9}),t=(\d{1,9}),p=(\d{1,3})\$([^$]+)\$([^$]+)$/

/** Argon2 in the PHC string format (RFC 9106). Before version 1.3, whose number is 19, the text had no version. */
export const argon2: HashFormat = {
  begins: /^\$argon2/,
  read(text) {
    const [, kind, version = '16', ...parts] = pattern.exec(text) ?? []
    const [memory, passes, lanes] = parts.map(Number)
    const [, , , salt, hash] = parts
    if (!memory || !passes || !lanes || salt === undefined || hash === undefined) return undefined
    // RFC 9106 section 3.1: eight blocks for each lane.
    if (memory < 8 * lanes || !decode(salt, 8, 48) || !decode(hash, shortestHash, 64)) return undefined
    const stored = `$${kind}$v=${version}$m=${memory},t=${passes},p=${lanes}$${salt}$${hash}`
    const tooMuch = memory > mostMemory || memory * passes > mostWork || lanes > 16
    return {
      text: stored,
      memory,
      slow: memory * passes > slowWork,
      excess: tooMuch
        ? `has a cost that is too high: at most m=${mostMemory}, m times t=${mostWork} and p=16`
        : undefined,
      matches: (password) => verify(stored, password),
    }
  },
}
