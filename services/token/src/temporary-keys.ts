import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { compactVerify, exportJWK, SignJWT } from 'jose'

const pair: { publicKey: KeyObject; privateKey: KeyObject } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
})
export async function signIdToken(_algorithm: string, claims: Readonly<Record<string, unknown>>) {
  return new SignJWT({ ...claims })
    .setProtectedHeader({ alg: 'RS256', kid: 'temporary' })
    .sign(pair.privateKey)
}
export async function signLogoutToken(_algorithm: string, claims: Readonly<Record<string, unknown>>) {
  return new SignJWT({ ...claims })
    .setProtectedHeader({ alg: 'RS256', kid: 'temporary', typ: 'logout+jwt' })
    .sign(pair.privateKey)
}
export async function verifyIdToken(token: string) {
  try {
    const { payload } = await compactVerify(token, pair.publicKey)
    return JSON.parse(new TextDecoder().decode(payload)) as Record<string, unknown>
  } catch {
    return undefined
  }
}
export const jwks = async () => ({
  keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'temporary', use: 'sig', alg: 'RS256' }],
})

import { writeFileSync } from 'node:fs'

writeFileSync('/tmp/temporary-jwks.json', JSON.stringify(await jwks()))
