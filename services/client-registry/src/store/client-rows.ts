import { carriedIn } from '@gatehouse/data/carried-columns'
import type { Prisma } from '@gatehouse/prisma/database'
import { clients } from '@gatehouse/proto/administered/clients'
import type { Client, ClientMaker, ClientRecord } from '../clients/client.ts'
import { metadataOf } from '../clients/metadata-document.ts'

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

/** Translates a row into a client. */
export function toClient({ disabledAt, ...row }: ClientRow): Client {
  return {
    clientId: row.clientId,
    clientName: row.clientName,
    redirectUris: row.redirectUris,
    grantTypes: row.grantTypes,
    scope: row.scope,
    tokenEndpointAuthMethod: row.tokenEndpointAuthMethod,
    firstParty: row.firstParty,
    createdBy: toMaker(row.createdBy),
    scopeSetBy: toMaker(row.scopeSetBy),
    createdAt: row.createdAt,
    revision: row.revision,
    disabled: disabledAt !== null,
    metadata: metadataOf(row.metadata),
  }
}

function toMaker(stored: string): ClientMaker {
  return stored === 'administrator' ? 'administrator' : 'registration'
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
