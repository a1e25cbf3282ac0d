import { addPendingRevocation } from '@gatehouse/data/pending-revocations'
import type { Prisma } from '@gatehouse/prisma/database'

type Transaction = Prisma.TransactionClient

/**
 * Deletes a client that is locked, and records what the token service must be told. It is the transaction's last work.
 * @param mayComeBack whether a later client may get the same id
 * @returns the ids of the pending revocations
 */
export async function deleteLocked(
  transaction: Transaction,
  clientId: string,
  mayComeBack: boolean,
): Promise<readonly bigint[]> {
  const end = mayComeBack ? [await endRevision(transaction, clientId)] : []
  await transaction.client.delete({ where: { clientId } })
  // For ever would also revoke what a client gets that comes back with the same id.
  return [...end, await revokeClient(transaction, clientId, mayComeBack ? 'now' : 'for ever')]
}

/** Records that everything that a client was granted is revoked. @returns the pending revocation's id */
export function revokeClient(
  transaction: Transaction,
  clientId: string,
  until: 'now' | 'for ever',
): Promise<bigint> {
  return addPendingRevocation(transaction, 'clients', { kind: 'client', target: clientId, until })
}

/** Records that a client is deleted, with a last revision, which is earlier than every one of a client that comes back with its id. */
async function endRevision(transaction: Transaction, clientId: string): Promise<bigint> {
  const { revision } = await transaction.client.update({
    where: { clientId },
    data: { disabledAt: new Date() },
  })
  const target = `${revision}:${clientId}`
  return addPendingRevocation(transaction, 'clients', { kind: 'deleted_client', target })
}
