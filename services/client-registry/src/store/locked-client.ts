import { addPendingRevocation } from '@gatehouse/data/pending-revocations'
import type { Prisma } from '@gatehouse/prisma/database'
import type { ChangedClient } from '../changes/client-change.ts'
import type { Client, ClientRecord } from '../clients/client.ts'
import { revokeClient } from './client-deletion.ts'
import { findRecords, toClient } from './client-rows.ts'

type Transaction = Prisma.TransactionClient

/** Locks a client against other changes until the transaction ends. */
export async function lock(transaction: Transaction, clientId: string): Promise<Client | undefined> {
  await transaction.$queryRaw`select from clients.clients where client_id = ${clientId} for no key update`
  const row = await transaction.client.findUnique({ where: { clientId } })
  return row ? toClient(row) : undefined
}

/** A client that was locked, as it is now. */
export async function record(transaction: Transaction, clientId: string): Promise<ClientRecord> {
  const [found] = await findRecords(transaction, [clientId])
  if (found === undefined) throw new Error('the locked client was not found')
  return found
}

/**
 * Records that the token service must be told of a change of a client that is locked.
 * @param revokes whether everything that the client was granted until now is revoked
 */
export async function changed(
  transaction: Transaction,
  clientId: string,
  revokes: boolean,
): Promise<ChangedClient> {
  const client = await record(transaction, clientId)
  const change = await addPendingRevocation(transaction, 'clients', {
    kind: 'client_change',
    target: clientId,
  })
  return { client, pending: revokes ? [change, await revokeClient(transaction, clientId, 'now')] : [change] }
}
