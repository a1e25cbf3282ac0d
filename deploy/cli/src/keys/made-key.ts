import { generateKeyPairSync } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { readPublicKey } from '@gatehouse/kit/keys/public-key'
import type { AssertionAlgorithm } from '@gatehouse/proto/algorithms'
import { createFile } from '../new-file.ts'
import type { PublicJwk } from './public-key-file.ts'

/** The algorithms for which a key can be made: each as libraries know it best. */
export const madeAlgorithms = ['ES256', 'EdDSA', 'PS256', 'RS256'] as const satisfies AssertionAlgorithm[]

/** The ways in which a private key is written. */
export const keyFormats = ['pem', 'jwk'] as const

/** A key that somebody wants. */
export type WantedKey = {
  /** The file for the private key, which must not exist. */
  path: string
  algorithm: (typeof madeAlgorithms)[number]
  format: (typeof keyFormats)[number]
}

const makers = {
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: () => generateKeyPairSync('ed25519'),
  PS256: () => generateKeyPairSync('rsa', { modulusLength: 3072 }),
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 3072 }),
}

/**
 * Makes a key pair, and writes the private key to a new file that only its owner can read.
 * @param use takes the public key, which is called by its thumbprint (RFC 7638); when it fails, the file is deleted, since nobody knows the key
 * @throws CommandFailure when the file exists or cannot be written
 */
export async function makeKey<Result>(
  { path, algorithm, format }: WantedKey,
  use: (publicKey: PublicJwk) => Promise<Result>,
): Promise<Result> {
  const { publicKey, privateKey } = makers[algorithm]()
  const jwk = { ...(publicKey.export({ format: 'jwk' }) as PublicJwk), alg: algorithm, use: 'sig' }
  const named = { ...jwk, kid: thumbprintOf(jwk) }
  const file = await createFile(path)
  await file.write(
    format === 'pem'
      ? privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
      : `${JSON.stringify({ ...named, ...privateKey.export({ format: 'jwk' }) }, undefined, 2)}\n`,
  )
  await file.close()
  try {
    return await use(named)
  } catch (error) {
    await rm(path, { force: true })
    throw error
  }
}

function thumbprintOf(jwk: object): string {
  const read = readPublicKey(jwk)
  if (!('key' in read)) throw new Error('a key that was just made is no key')
  return read.key.thumbprint.toString('base64url')
}
