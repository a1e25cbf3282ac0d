import { Refusal } from '@gatehouse/kit/errors'
import type { ProofStore } from '../clients/assertions/proof.ts'
import type { RevocationStore } from '../tokens/access-token-store.ts'

/** The needs of revoking a reused grant. */
export type ReuseDeps = {
  revocations: RevocationStore
  /** Spends the proof of a request that was not done: a proof that counts no more must end nothing. */
  proofs: ProofStore
  /** Whether the caller still waits for the answer. */
  isAwaited(): boolean
}

/**
 * Revokes a grant whose code or refresh token was used again. A call that the caller has cancelled revokes nothing: this
 * process or the database hung, and the caller may have retried since and been served by another replica, so this is no
 * theft.
 * @throws Refusal temporarily_unavailable when nobody waits for the answer
 */
export async function endReusedGrant(grantId: string, { revocations, isAwaited }: ReuseDeps): Promise<void> {
  if (!isAwaited())
    throw new Refusal('temporarily_unavailable', undefined, {
      detail: 'the caller cancelled the call before the grant was revoked',
    })
  await revocations.add({ kind: 'grant', id: grantId, issuedBefore: 'now' })
}
