import type { SessionGrant } from '../openid/session-grant.ts'
import type { GrantingUser, GrantRecord, UserGrant } from '../tokens/grant-record.ts'
import type { Column } from './columns.ts'
import { readResources, resourcesText } from './resources.ts'

/** A column of a grant, in each row that carries one. */
type GrantColumn = Column<{ grant: GrantRecord }> & {
  /** The SQL of an access token's own value, which may be less than the grant's; by default the grant's. */
  ofAccessToken?: string
}

const columns = {
  clientId: [{ name: 'client_id', type: 'text', value: ({ grant }) => grant.clientId }],
  scope: [{ name: 'scope', type: 'text', value: ({ grant }) => grant.scope, ofAccessToken: 'access_scope' }],
  resources: [
    {
      ...{ name: 'resources', type: 'text', ofAccessToken: 'access_resources' },
      value: ({ grant }) => resourcesText(grant.resources),
    },
  ],
  user: [
    { name: 'user_id', type: 'text', value: ({ grant }) => grant.user?.userId },
    { name: 'username', type: 'text', value: ({ grant }) => grant.user?.username },
  ],
  organizationId: [{ name: 'organization_id', type: 'text', value: ({ grant }) => grant.organizationId }],
  /** It has a row of its own, which all that follows from the grant shares. */
  session: [],
} satisfies Record<keyof GrantRecord, readonly GrantColumn[]>

const { user, ...ofAll } = columns

/** The columns of a grant that has no user, or none yet. */
export const userlessGrantColumns: readonly GrantColumn[] = Object.values(ofAll).flat()

/** The columns of a grant. */
export const grantColumns: readonly GrantColumn[] = [...userlessGrantColumns, ...user]

/** The values of an access token of a grant, in the order of `grantColumns`. @param row the alias of a row as insertTokensSql needs it */
export function accessTokenValuesSql(row: string): string {
  return grantColumns.map(({ name, ofAccessToken = name }) => `${row}.${ofAccessToken}`).join(', ')
}

/** The same by the names of `grantColumns`. */
export function accessTokenGrantSql(row: string): string {
  return grantColumns.map(({ name, ofAccessToken = name }) => `${row}.${ofAccessToken} as ${name}`).join(', ')
}

/** A row with `grantColumns`, or with `userlessGrantColumns`. */
export type GrantRow = {
  client_id: string
  scope: string
  resources: string | null
  organization_id: string | null
  user_id?: string | null
  username?: string | null
}

/** Reads the grant of a row. */
export function toGrant(row: GrantRow): GrantRecord {
  return {
    clientId: row.client_id,
    scope: row.scope,
    resources: readResources(row.resources) ?? [],
    user: row.user_id ? userOf(row) : undefined,
    session: undefined,
    organizationId: row.organization_id ?? undefined,
  }
}

/** Reads the grant of a row that has a user. @param session undefined also where it was not read */
export function toUserGrant(row: GrantRow, session?: SessionGrant): UserGrant {
  return { ...toGrant(row), user: userOf(row), session }
}

function userOf({ user_id: userId, username }: GrantRow): GrantingUser {
  return { userId: userId ?? '', username: username ?? '' }
}
