import { carriedIn } from '@gatehouse/data/carried-columns'
import { resourceServers } from '@gatehouse/proto/administered/resource-servers'
import type { ClaimsShape } from '@gatehouse/proto/resource-servers'
import type { ResourceScope, ResourceServer } from '../resource-servers/resource-server.ts'

/** A row with the columns of a resource server. */
export type ResourceServerRow = Omit<
  ResourceServer,
  'disabled' | 'scopes' | 'tokenLifetime' | 'clientId' | 'roles' | 'claimsShape' | 'columns'
> & {
  scopes: unknown
  roles: unknown
  claimsShape: string
  tokenLifetime: number | null
  clientId: string | null
  disabledAt: Date | null
  /** A text when raw SQL read it. */
  revision: bigint | string
}

type StoredRole = { name: string; description: string; scopes: string[]; organizations_may_give: boolean }

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
    roles: (row.roles as StoredRole[]).map(({ organizations_may_give, ...role }) => ({
      ...{ name: role.name, description: role.description, scopes: role.scopes },
      organizationsMayGive: organizations_may_give,
    })),
    scopesByRole: row.scopesByRole,
    tokenClaims: row.tokenClaims,
    claimsShape: row.claimsShape as ClaimsShape,
    disabled: disabledAt !== null,
    createdAt: row.createdAt,
    revision: BigInt(row.revision),
    columns: carriedIn(resourceServers, { ...row, disabledAt }),
  }
}
