import type { Actor } from '@gatehouse/proto/audit/v1'
import { type SigningKey, SigningKeyState, TokenKind } from '@gatehouse/proto/token/v1'
import type { AdminDeps } from './deps.ts'

/** The states of a signing key. */
export const keyStates = ['staged', 'active', 'retiring'] as const

/** A state of a signing key. */
export type KeyState = (typeof keyStates)[number]

/** The kinds of tokens that keys sign. */
export const tokenKinds = ['access_token', 'id_token'] as const

/** The state of a key. */
export function stateOf({ state }: Pick<SigningKey, 'state'>): KeyState {
  if (state === SigningKeyState.SIGNING_KEY_STATE_STAGED) return 'staged'
  return state === SigningKeyState.SIGNING_KEY_STATE_ACTIVE ? 'active' : 'retiring'
}

/** The kinds of tokens that the algorithm of a key signs now. */
export function signedBy({ signs }: Pick<SigningKey, 'signs'>): (typeof tokenKinds)[number][] {
  return signs.map((kind) => (kind === TokenKind.TOKEN_KIND_ID_TOKEN ? 'id_token' : 'access_token'))
}

/**
 * Rotates a key.
 * @param algorithm by default the one that signs access tokens
 * @param immediately whether the new key signs at once and all earlier ones are withdrawn
 * @returns the keys of the algorithm, the new one first
 */
export async function rotateKey(
  { tokens }: Pick<AdminDeps, 'tokens'>,
  { algorithm, immediately = false }: { algorithm?: string | undefined; immediately?: boolean | undefined },
  actor: Actor,
): Promise<SigningKey[]> {
  const { keys } = await tokens.rotateKeyOfAlgorithm({ actor, algorithm, immediately })
  return keys
}
