import { addPendingRevocation } from '@gatehouse/data/pending-revocations'
import type { Prisma } from '@gatehouse/prisma/database'
import { createEndSessions } from './session-ends.ts'

/**
 * Ends a user's sessions and records a pending revocation of their tokens. Call it after changing the user's row.
 * @param until `for ever` also revokes what is granted later
 * @returns the ids of the pending revocations
 */
export type EndAccess = (
  transaction: Prisma.TransactionClient,
  userId: string,
  until?: 'now' | 'for ever',
) => Promise<bigint[]>

/** @param recorded whether the token service must be told of sessions that end: where OpenID Connect is on */
export function createEndAccess(recorded: boolean): EndAccess {
  const endSessions = createEndSessions(recorded)
  return async (transaction, userId, until = 'now') => {
    const { revocationIds } = await endSessions(transaction, { userId })
    const everything = { kind: 'user', target: userId, until } as const
    return [await addPendingRevocation(transaction, 'identity', everything), ...revocationIds]
  }
}
