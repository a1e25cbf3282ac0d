import { carriedIn } from '@gatehouse/data/carried-columns'
import type { Prisma } from '@gatehouse/prisma/database'
import { clients } from '@gatehouse/proto/administered/clients'
import { type ClientColumns, columnsIn, documentIn } from '@gatehouse/proto/client-columns'
import { clientDecider } from '@gatehouse/proto/client-metadata'
import type { Client, ClientRecord } from '../clients/client.ts'

/** A row with the columns of a client. */
export type ClientRow = Omit<Client, 'disabled' | 'metadata' | 'createdBy' | 'scopeSetBy'> & {
  disabledAt: Date | null
  metadata: unknown
  createdBy: string
  scopeSetBy: string
}

type SecretRow = {
  secretId: string
  createdAt: Date
  expiresAt: Date | null
  use: { lastUsedAt: Date } | null
}
type ClientRowWithSecrets = ClientRow & { secrets: SecretRow[] }

/** Translates a row into a client, without fields of its metadata that no longer exist. */
export function toClient(row: ClientRow): Client {
  const { clientId, disabledAt, createdBy, scopeSetBy, createdAt, revision } = row
  return {
    ...columnsIn(documentIn(row as ClientColumns)),
    ...{ clientId, createdAt, revision },
    disabled: disabledAt !== null,
    createdBy: clientDecider(createdBy),
    scopeSetBy: clientDecider(scopeSetBy),
  }
}

/** Clients as administrators see them, with their valid secrets, newest secret first. */
export async function findRecords(
  prisma: Pick<Prisma.TransactionClient, 'client'>,
  clientIds: readonly string[],
): Promise<ClientRecord[]> {
  const rows: ClientRowWithSecrets[] = await prisma.client.findMany({
    where: { clientId: { in: [...clientIds] } },
    include: {
      secrets: {
        select: { secretId: true, createdAt: true, expiresAt: true, use: { select: { lastUsedAt: true } } },
        orderBy: { createdAt: 'desc' },
      },
    },
  })
  const now = Date.now()
  return rows.map(({ secrets, ...row }) => ({
    ...toClient(row),
    columns: carriedIn(clients, row),
    secrets: secrets
      .filter(({ expiresAt }) => expiresAt === null || expiresAt.getTime() > now)
      .map(({ expiresAt, use, ...secret }) => ({
        ...secret,
        expiresAt: expiresAt ?? undefined,
        lastUsedAt: use?.lastUsedAt,
      })),
  }))
}
