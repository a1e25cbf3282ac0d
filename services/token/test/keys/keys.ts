import { defaultKid, deriveSigningKey, headerOf } from '../../src/keys/signing-key.ts'
import type { SigningKeys } from '../../src/keys/signing-keys.ts'
import {
  type AccessTokenClaims,
  type AccessTokenSigner,
  createAccessTokenSigner,
} from '../../src/tokens/access-token.ts'

/** The keys of a system that has never rotated them: the only one is the secret itself. */
export function onlyDefault(secret: string) {
  const key = deriveSigningKey(secret, defaultKid)
  return {
    checkFresh: () => undefined,
    active: () => key,
    find: (token, type) => (key.headers[type] === headerOf(token) ? key : undefined),
  } satisfies Partial<SigningKeys>
}

/** A signer whose key signs at once. */
export function signingAtOnce(signer: AccessTokenSigner) {
  return { ...signer, sign: (claims: AccessTokenClaims) => signer.sign(claims) as string }
}

/** A signer with the secret itself. */
export function defaultSigner(secret: string, issuer: string, audience: string) {
  return signingAtOnce(createAccessTokenSigner(onlyDefault(secret), { algorithm: 'HS256', issuer, audience }))
}
