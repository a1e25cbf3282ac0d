import type { AuditEntry } from '@gatehouse/data/audit'
import { addPendingRevocation } from '@gatehouse/data/pending-revocations'
import type { Prisma } from '@gatehouse/prisma/database'
import { isGeneratedClientId } from '../client.ts'

type Transaction = Prisma.TransactionClient

/**
 * Deletes a client that is locked, writes the audit entry and records what the token service must be told. It is the transaction's last
 * work.
 * @param entry its target is the client
 * @returns the ids of the pending revocations
 */
export async function deleteLocked(
  transaction: Transaction,
  entry: AuditEntry,
  write: (entry: AuditEntry) => Promise<void>,
): Promise<readonly bigint[]> {
  const { target: clientId } = entry
  const generated = isGeneratedClientId(clientId)
  const end = generated ? [] : [await endRevision(transaction, clientId)]
  await transaction.client.delete({ where: { clientId } })
  await write(entry)
  // For ever would also revoke what a client gets that comes back with the same id.
  return [...end, await revokeClient(transaction, clientId, generated ? 'for ever' : 'now')]
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
