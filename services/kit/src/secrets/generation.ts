import { createHmac, hkdfSync } from 'node:crypto'
import type { Keyring } from './keyring.ts'

/** The secrets of a process by the names of their variables. */
export type Keyrings = Readonly<Record<string, Keyring>>

/** Says which secret of a variable a process signs or encrypts with, without a piece of the secret. */
export type Generation = {
  variable: string
  /** The same in all processes that have the same current secret. */
  generation: string
  /** Whether the process has a next secret, too. */
  changing: boolean
}

/** In hexadecimal digits: enough to tell two secrets from each other, and too few to recognize one by. */
const length = 8

/**
 * The generations of secrets: a truncated HMAC-SHA256 of the variable's name. Its key is derived from the secret (RFC 5869) for this use
 * alone, so that it reveals nothing about the keys of other uses.
 */
export function generationsOf(keyrings: Keyrings): Generation[] {
  return Object.entries(keyrings).map(([variable, keyring]) => {
    const changing = typeof keyring !== 'string'
    const current = changing ? keyring[0] : keyring
    const key = Buffer.from(hkdfSync('sha256', current, '', 'gatehouse: generation of a secret', 32))
    const generation = createHmac('sha256', key).update(variable).digest('hex').slice(0, length)
    return { variable, generation, changing }
  })
}
