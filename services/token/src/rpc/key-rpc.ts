import { readActor } from '@gatehouse/kit/actor'
import { handlersOf } from '@gatehouse/kit/rpc/rpc-server'
import {
  type SigningKey as SigningKeyMessage,
  SigningKeyState,
  TokenKind,
  TokenServiceService as tokenService,
} from '@gatehouse/proto/token/v1'
import type { KeyRotation, SigningKeyStore } from '../keys/key-rotation.ts'
import type { SigningKeyRecord, SigningKeys } from '../keys/signing-keys.ts'

/** The needs of the RPCs about signing keys. */
export type KeyRpcDeps = {
  keys: Pick<SigningKeys, 'refresh' | 'published'>
  keyStore: Pick<SigningKeyStore, 'list'>
  keyRotation: Pick<KeyRotation, 'rotate'>
  /** The algorithm that signs access tokens. */
  accessTokenAlgorithm: string
  /** The algorithms that sign ID tokens. */
  idTokenAlgorithms: readonly string[]
}

const states = {
  staged: SigningKeyState.SIGNING_KEY_STATE_STAGED,
  active: SigningKeyState.SIGNING_KEY_STATE_ACTIVE,
  retiring: SigningKeyState.SIGNING_KEY_STATE_RETIRING,
}

/** The RPCs for signing keys. The gateway publishes the key set; the others are for administrators. */
export function keyRpcs(deps: KeyRpcDeps) {
  const toMessages = (records: readonly SigningKeyRecord[]) =>
    records.map((record) => toMessage(record, deps))
  return handlersOf(tokenService, {
    async listSigningKeys() {
      return { keys: toMessages(await deps.keyStore.list()) }
    },

    async rotateKeyOfAlgorithm({ actor, ...request }) {
      return { keys: toMessages(await deps.keyRotation.rotate(request, readActor(actor))) }
    },

    async getKeySet() {
      // Read anew: a withdrawn key must not be published for another second.
      await deps.keys.refresh()
      return { keySet: JSON.stringify({ keys: deps.keys.published() }) }
    },
  })
}

function toMessage(
  { kid, algorithm, createdAt, verifiesUntil, activatesAt, state }: SigningKeyRecord,
  { accessTokenAlgorithm, idTokenAlgorithms }: KeyRpcDeps,
): SigningKeyMessage {
  const signs: TokenKind[] = []
  if (algorithm === accessTokenAlgorithm) signs.push(TokenKind.TOKEN_KIND_ACCESS_TOKEN)
  if (idTokenAlgorithms.includes(algorithm)) signs.push(TokenKind.TOKEN_KIND_ID_TOKEN)
  return { kid, algorithm, createdAt, verifiesUntil, activatesAt, state: states[state], signs }
}
