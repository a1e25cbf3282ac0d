import type { Emit } from '@gatehouse/kit/events/emission'
import type { Revocation, RevocationStore } from '../tokens/access-token-store.ts'

/** The content of a revocation's event. The kind decides whether it names a user, a client, both or neither. */
export function revocationContent({ kind, id }: Pick<Revocation, 'kind' | 'id'>) {
  const named = (): { userId?: string | undefined; clientId?: string | undefined } => {
    if (kind === 'user') return { userId: id }
    if (kind === 'client' || kind === 'own') return { clientId: id }
    const [userId, rest] = partsOf(id)
    if (kind === 'membership') return { userId }
    return kind === 'consent' ? { userId, clientId: rest.replace(inOrganization, '') } : {}
  }
  return { userId: undefined, clientId: undefined, ...named(), metadata: { kind, id } }
}

/** The end of a consent's id in an organization. */
const inOrganization = /:org_[\da-f-]{36}$/

/** A user's id, which has no colon, and what follows it. The id of a client may have colons itself. */
function partsOf(id: string): [string, string] {
  const colon = id.indexOf(':')
  return [id.slice(0, Math.max(0, colon)), id.slice(colon + 1)]
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
