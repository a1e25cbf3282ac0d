import { generateKeyPairSync } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { calculateJwkThumbprint, type JWK } from 'jose'

/**
 * Makes a key as the command line does.
 * @returns the file with the private key, and both halves
 */
export async function makeKeyFile(directory: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const jwk = publicKey.export({ format: 'jwk' }) as JWK
  const kid = await calculateJwkThumbprint(jwk)
  const file = join(directory, `${kid}.jwk`)
  await writeFile(file, JSON.stringify({ ...privateKey.export({ format: 'jwk' }), kid, alg: 'ES256' }))
  return { file, kid, privateKey, jwk: { ...jwk, kid, alg: 'ES256', use: 'sig' } }
}
