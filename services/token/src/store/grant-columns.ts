import type { Column } from './columns.ts'
import { resourcesText } from './resources.ts'

/** A column of a grant, wherever its row is. */
type GrantColumn<Row> = Column<Row> & {
  /** The SQL of an access token's own value, which may be less than the grant's; by default the grant's. */
  ofAccessToken?: string
}

/** A client's own grant, as far as rows have it. */
type ClientGrant = { clientId: string; scope: string; resources: readonly string[] }
/** The grant of a user. */
type UserGrant = ClientGrant & { userId: string; username: string }

/** The columns of a client's own grant. */
export const clientGrantColumns: readonly GrantColumn<ClientGrant>[] = [
  { name: 'client_id', type: 'text', value: ({ clientId }) => clientId },
  { name: 'scope', type: 'text', value: ({ scope }) => scope, ofAccessToken: 'access_scope' },
  {
    ...{ name: 'resources', type: 'text', ofAccessToken: 'access_resources' },
    value: ({ resources }) => resourcesText(resources),
  },
]

/** The columns of a user's grant. */
export const grantColumns: readonly GrantColumn<UserGrant>[] = [
  ...clientGrantColumns,
  { name: 'user_id', type: 'text', value: ({ userId }) => userId },
  { name: 'username', type: 'text', value: ({ username }) => username },
]

/** The values of an access token of a grant, in the order of `grantColumns`. */
export const accessTokenValuesSql = grantColumns
  .map(({ name, ofAccessToken = name }) => ofAccessToken)
  .join(', ')
