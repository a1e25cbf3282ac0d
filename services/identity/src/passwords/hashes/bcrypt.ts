import { verify } from '@node-rs/bcrypt'
import type { HashFormat } from './hash-format.ts'

const highestCost = 14
const slowCost = 11

/**
 * bcrypt. It reads no more than 72 bytes of a password; whoever hashed it had the same limit, so the password still matches.
 * `$2x$` is not taken: its hashes are of a program that read other characters than ASCII wrongly.
 */
export const bcrypt: HashFormat = {
  begins: /^\$2[a-z]?\$/,
  read(text) {
    const cost = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/.exec(text)?.[1]
    if (cost === undefined || Number(cost) < 4 || Number(cost) > 31) return undefined
    return {
      text,
      memory: 5,
      slow: Number(cost) >= slowCost,
      excess: Number(cost) > highestCost ? `has a cost that is too high: at most ${highestCost}` : undefined,
      matches: (password) => verify(password, text),
    }
  },
}
