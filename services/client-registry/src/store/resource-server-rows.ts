import { carriedIn } from '@gatehouse/data/carried-columns'
import { resourceServers } from '@gatehouse/proto/administered/resource-servers'
import type { ResourceScope, ResourceServer } from '../resource-servers/resource-server.ts'

/** A row with the columns of a resource server. */
export type ResourceServerRow = Omit<
  ResourceServer,
  'disabled' | 'scopes' | 'tokenLifetime' | 'clientId' | 'columns'
> & {
  scopes: unknown
  tokenLifetime: number | null
  clientId: string | null
  disabledAt: Date | null
  /** A text when raw SQL read it. */
  revision: bigint | string
}

/** Translates a row into a resource server. */
export function toResourceServer({ disabledAt, ...row }: ResourceServerRow): ResourceServer {
  return {
    resourceId: row.resourceId,
    identifier: row.identifier,
    name: row.name,
    scopes: (row.scopes as ResourceScope[]).map(({ scope, description }) => ({ scope, description })),
    tokenLifetime: row.tokenLifetime ?? undefined,
    openRegistration: row.openRegistration,
    clientId: row.clientId ?? undefined,
    disabled: disabledAt !== null,
    createdAt: row.createdAt,
    revision: BigInt(row.revision),
    columns: carriedIn(resourceServers, { ...row, disabledAt }),
  }
}
