import { createPublicKey, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { JsonWebKey } from '@gatehouse/admin-api/generated/openapi'
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
    return text.trimStart().startsWith('{') ? publicPart(onlyKey(JSON.parse(text))) : fromPem(text)
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

/** A certificate comes with its key (RFC 7517 section 4.7): `self_signed_tls_client_auth` compares it. */
function fromPem(pem: string): PublicJwk {
  const key = createPublicKey(pem).export({ format: 'jwk' }) as PublicJwk
  if (!pem.includes('BEGIN CERTIFICATE')) return key
  return { ...key, x5c: [new X509Certificate(pem).raw.toString('base64')] }
}

function publicPart(jwk: PublicJwk): PublicJwk {
  const others = kept.filter((name) => jwk[name] !== undefined).map((name) => [name, jwk[name]])
  const key = createPublicKey({ key: jwk, format: 'jwk' })
  return { ...(key.export({ format: 'jwk' }) as PublicJwk), ...Object.fromEntries(others) }
}
