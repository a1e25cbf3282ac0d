import { answered } from '@gatehouse/prisma/answered'
import type { Database } from '@gatehouse/prisma/database'
import type { Client, ClientStore } from '../client.ts'

/** A row with the columns of a client. */
type ClientRow = Omit<Client, 'disabled'> & { disabledAt: Date | null }

/** The clients in PostgreSQL. */
export function createClientStore({ prisma }: Pick<Database, 'prisma'>): ClientStore {
  return {
    async add(client, secretDigest) {
      const row = await answered(
        prisma.client.create({
          data: {
            ...client,
            redirectUris: [...client.redirectUris],
            grantTypes: [...client.grantTypes],
            ...(secretDigest && { secrets: { create: { secretDigest } } }),
          },
        }),
      )
      return toClient(row)
    },

    async find(clientIds) {
      const rows = await answered(
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
  }
}

function toClient({ disabledAt, ...row }: ClientRow): Client {
  return {
    clientId: row.clientId,
    clientName: row.clientName,
    redirectUris: row.redirectUris,
    grantTypes: row.grantTypes,
    scope: row.scope,
    tokenEndpointAuthMethod: row.tokenEndpointAuthMethod,
    firstParty: row.firstParty,
    createdAt: row.createdAt,
    revision: row.revision,
    disabled: disabledAt !== null,
  }
}
