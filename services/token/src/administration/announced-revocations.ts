import type { Emit } from '@gatehouse/kit/events/emission'
import type { Revocation, RevocationStore } from '../tokens/access-token-store.ts'

/** The content of a revocation's event. The kind decides whether it names a user, a client, both or neither. */
export function revocationContent({ kind, id }: Pick<Revocation, 'kind' | 'id'>) {
  // The id of a client may have colons itself, that of a user has none.
  const [, userId, clientId] = (kind === 'consent' && /^([^:]*):(.*)$/.exec(id)) || []
  return {
    userId: kind === 'user' ? id : userId,
    clientId: kind === 'client' || kind === 'own' ? id : clientId,
    metadata: { kind, id },
  }
}

/**
 * Wraps a store so that it emits an event for each stored revocation.
 * @param revocations the store
 */
export function announcedRevocations(revocations: RevocationStore, emit: Emit): RevocationStore {
  return {
    async add(revocation) {
      await revocations.add(revocation)
      emit('token_revoked', revocationContent(revocation))
    },
  }
}
