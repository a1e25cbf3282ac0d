import { createPublicKey } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { JsonWebKey } from '@gatehouse/admin-api/generated/openapi'
import { publicJwkOf } from '@gatehouse/kit/keys/public-key'
import { CommandFailure, exitCodes } from '../failure.ts'

/** A public key as the API takes it (RFC 7517). */
export type PublicJwk = JsonWebKey

/** Members of a key in a file that say nothing secret, and stay. */
const kept = ['kid', 'alg', 'use', 'x5c'] as const

/**
 * Reads a public key from a file: PEM, a JSON Web Key, or a set of one. Of a private key only the public part is taken: the private one is
 * never sent.
 * @throws CommandFailure
 */
export async function readPublicKeyFile(path: string): Promise<PublicJwk> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new CommandFailure(`${path} cannot be read (${error.code}).`, exitCodes.usage)
  })
  try {
    return text.trimStart().startsWith('{')
      ? publicPart(onlyKey(JSON.parse(text)))
      : (publicJwkOf(text) as PublicJwk)
  } catch {
    throw new CommandFailure(
      `${path} must have one key: as PEM (BEGIN PUBLIC KEY), a certificate, or a JSON Web Key.`,
      exitCodes.usage,
    )
  }
}

function onlyKey(parsed: { keys?: unknown }): PublicJwk {
  if (parsed.keys === undefined) return parsed as PublicJwk
  const [first, ...others] = parsed.keys as PublicJwk[]
  if (first === undefined || others.length > 0) throw new Error('not one key')
  return first
}

function publicPart(jwk: PublicJwk): PublicJwk {
  const others = kept.filter((name) => jwk[name] !== undefined).map((name) => [name, jwk[name]])
  const key = createPublicKey({ key: jwk, format: 'jwk' })
  return { ...(key.export({ format: 'jwk' }) as PublicJwk), ...Object.fromEntries(others) }
}
