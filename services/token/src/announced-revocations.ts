import type { Emit } from '@gatehouse/kit/emission'
import type { RevocationStore } from './access-token-store.ts'

/**
 * Says of each revocation that is kept that it was made.
 * @param revocations where they are kept
 */
export function announcedRevocations(revocations: RevocationStore, emit: Emit): RevocationStore {
  return {
    async add(revocation) {
      await revocations.add(revocation)
      const { kind, id } = revocation
      const [userId, clientId] = kind === 'consent' ? id.split(':', 2) : []
      emit('token_revoked', {
        userId: kind === 'user' ? id : userId,
        clientId: kind === 'client' ? id : clientId,
        metadata: { kind, id },
      })
    },
  }
}
