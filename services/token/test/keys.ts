import type { createAccessTokenSigner } from '../src/access-token.ts'
import { defaultKid, deriveSigningKey } from '../src/signing-key.ts'
import type { SigningKeys } from '../src/signing-keys.ts'

type UsedKeys = Parameters<typeof createAccessTokenSigner>[0]

/** The keys of a system that has never rotated them: the only one is the secret itself. */
export function onlyDefault(secret: string): UsedKeys {
  const key = deriveSigningKey(secret, defaultKid)
  return {
    checkFresh: () => undefined,
    active: () => key,
    known: (token) => (token.startsWith(key.prefix) ? key : undefined),
    candidateOf: () => undefined,
    confirm: async () => undefined,
  } satisfies Partial<SigningKeys>
}
