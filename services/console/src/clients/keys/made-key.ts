import { base64, type PublicJwk, publicJwkOf, thumbprintOf } from './jwk.ts'

/** The algorithms for which this page makes keys, the recommended one first, each as WebCrypto calls it. */
const algorithms = {
  ES256: { name: 'ECDSA', namedCurve: 'P-256' },
  EdDSA: { name: 'Ed25519' },
  PS256: rsa('RSA-PSS'),
  RS256: rsa('RSASSA-PKCS1-v1_5'),
}

function rsa(name: string) {
  return { name, modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-256' }
}

/** An algorithm for which this page makes keys. */
export type MadeAlgorithm = keyof typeof algorithms

export const madeAlgorithms = Object.keys(algorithms) as MadeAlgorithm[]

/** A key pair that was made in this browser. The private half is in this page alone. */
export type MadeKey = {
  publicKey: PublicJwk
  kid: string
  /** The private key as a JSON Web Key. */
  jwk: string
  /** The private key as PEM (PKCS#8). */
  pem: string
}

/** Makes a key pair, whose `kid` is its thumbprint. It needs `canCompute`. */
export async function makeKey(algorithm: MadeAlgorithm): Promise<MadeKey> {
  const pair = (await crypto.subtle.generateKey(algorithms[algorithm], true, [
    'sign',
    'verify',
  ])) as CryptoKeyPair
  const bare = await publicJwkOf(pair.publicKey)
  const kid = await thumbprintOf(bare)
  // A key for Ed25519 fits both names of its algorithm (RFC 9864), of which libraries use either.
  const named = algorithm === 'EdDSA' ? { kid } : { kid, alg: algorithm }
  const { ext: _ext, key_ops: _operations, ...whole } = await crypto.subtle.exportKey('jwk', pair.privateKey)
  return {
    publicKey: { ...bare, ...named, use: 'sig' },
    kid,
    jwk: `${JSON.stringify({ ...whole, ...named, use: 'sig' }, undefined, 2)}\n`,
    pem: pemOf(await crypto.subtle.exportKey('pkcs8', pair.privateKey)),
  }
}

function pemOf(bytes: ArrayBuffer): string {
  const lines = base64(bytes).match(/.{1,64}/g) ?? []
  return ['-----BEGIN PRIVATE KEY-----', ...lines, '-----END PRIVATE KEY-----', ''].join('\n')
}
