import type { Emit } from '@gatehouse/kit/emission'
import type { Revocation, RevocationStore } from './access-token-store.ts'

/** What a revocation's event says: whom it concerns, as far as its kind tells. */
export function revocationContent({ kind, id }: Pick<Revocation, 'kind' | 'id'>) {
  const [userId, clientId] = kind === 'consent' ? id.split(':', 2) : []
  return {
    userId: kind === 'user' ? id : userId,
    clientId: kind === 'client' ? id : clientId,
    metadata: { kind, id },
  }
}

/**
 * Says of each revocation that is kept that it was made.
 * @param revocations where they are kept
 */
export function announcedRevocations(revocations: RevocationStore, emit: Emit): RevocationStore {
  return {
    async add(revocation) {
      await revocations.add(revocation)
      emit('token_revoked', revocationContent(revocation))
    },
  }
}
