import { createTakenNames } from '@gatehouse/data/name-claims'
import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import { isGeneratedClientId } from '@gatehouse/proto/client-id-documents'
import type { ClientIdStore } from '../changes/chosen-credentials.ts'

/** The ids of clients in PostgreSQL. */
export function createClientIdStore({ prisma }: Pick<Database, 'prisma'>): ClientIdStore {
  return {
    async findExisting(clientIds) {
      const rows = await translateDatabaseErrors(
        prisma.client.findMany({ where: { clientId: { in: [...clientIds] } }, select: { clientId: true } }),
      )
      return new Set(rows.map(({ clientId }) => clientId))
    },

    async findDeleted(clientIds) {
      const target = { in: clientIds.filter(isGeneratedClientId) }
      const rows = await translateDatabaseErrors(
        prisma.clientAuditEntry.findMany({
          where: { action: 'client.delete', target },
          select: { target: true },
        }),
      )
      return new Set(rows.map((row) => row.target))
    },
  }
}

/** Finds the ids that clients have, ignoring case, or are about to have. */
export function clientNames(
  database: Pick<Database, 'pool'>,
): (names: readonly string[]) => Promise<string[]> {
  return createTakenNames(
    database,
    'clients',
    'exists (select from clients.clients where lower(client_id) = k.name)',
  )
}
