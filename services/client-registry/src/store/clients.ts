import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type { ClientStore } from '../clients/client.ts'
import { toClient } from './client-rows.ts'

/** The clients in PostgreSQL. */
export function createClientStore({ prisma }: Pick<Database, 'prisma'>): ClientStore {
  return {
    async add(client, secretDigest, tokenDigest, kept = false) {
      const row = await translateDatabaseErrors(
        prisma.client.create({
          data: {
            ...client,
            ...(secretDigest && { secrets: { create: { secretDigest } } }),
            ...(tokenDigest && { registrationToken: { create: { tokenDigest } } }),
            registrationUse: { create: { keptSince: kept ? new Date() : null } },
          },
        }),
      )
      return toClient(row)
    },

    async find(clientIds) {
      const rows = await translateDatabaseErrors(
        prisma.client.findMany({ where: { clientId: { in: [...clientIds] } }, include: { secrets: true } }),
      )
      return rows.map((row) => ({
        ...toClient(row),
        secrets: row.secrets.map(({ secretDigest, expiresAt }) => ({
          digest: secretDigest,
          expiresAt: expiresAt ?? undefined,
        })),
      }))
    },

    count: () => translateDatabaseErrors(prisma.client.count()),

    countOthers: (methods) =>
      translateDatabaseErrors(
        prisma.client.count({ where: { tokenEndpointAuthMethod: { notIn: [...methods] } } }),
      ),
  }
}
