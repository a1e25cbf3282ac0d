import { Refusal } from '@gatehouse/kit/errors'
import type { RevocationStore } from '../access-token-store.ts'

/** What ending a grant needs. */
export type ReuseDeps = {
  revocations: RevocationStore
  /** Whether the caller still waits for the answer. */
  isAwaited(): boolean
}

/**
 * Ends a grant of which what is good for once was presented again. A call that was given up ends nothing: this process
 * or the database hung with it, and who made it has come again since and been served elsewhere.
 * @throws Refusal temporarily_unavailable where nobody waits for the answer
 */
export async function endReusedGrant(grantId: string, { revocations, isAwaited }: ReuseDeps): Promise<void> {
  if (!isAwaited())
    throw new Refusal('temporarily_unavailable', undefined, {
      detail: 'the caller gave up before this was done',
    })
  await revocations.add({ kind: 'grant', id: grantId, issuedBefore: 'now' })
}
