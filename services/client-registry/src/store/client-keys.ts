import { auditedTransactions } from '@gatehouse/data/audit'
import type { KeepEvent } from '@gatehouse/data/pending-events'
import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database, Prisma } from '@gatehouse/prisma/database'
import type { ClientKeyStore } from '../changes/client-keys.ts'
import { mostKeysOfClient } from './key-uses.ts'
import { changed, lock } from './locked-client.ts'

/** The keys of clients in PostgreSQL. */
export function createClientKeyStore(
  database: Pick<Database, 'prisma'>,
  keepEvent: KeepEvent,
): ClientKeyStore {
  const audited = auditedTransactions(database, 'clients', keepEvent)
  return {
    async usesOf(clientId) {
      const rows = await translateDatabaseErrors(
        database.prisma.clientKeyUse.findMany({
          where: { clientId },
          orderBy: [{ lastUsedAt: 'desc' }, { thumbprint: 'asc' }],
          take: mostKeysOfClient,
        }),
      )
      return rows.map(({ thumbprint, lastUsedAt }) => ({ thumbprint: Buffer.from(thumbprint), lastUsedAt }))
    },

    change: (clientId, decide, actor) =>
      audited(async (transaction, write) => {
        const client = await lock(transaction, clientId)
        if (client === undefined) return undefined
        const { metadata, action, about } = decide(client)
        const data = { metadata: metadata as Prisma.InputJsonObject }
        await transaction.client.update({ where: { clientId }, data })
        const when = action === 'client.key.add' ? 'after' : 'before'
        await write({ actor, action, target: clientId, [when]: about })
        return changed(transaction, clientId, false)
      }),
  }
}
