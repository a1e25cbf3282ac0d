import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type { LoginConnection, LoginConnectionStore } from '../../connections/login-connection.ts'
import { type ConnectionRow, connectionColumns, toConnection } from './connections.ts'

const findQuery = {
  name: 'find_login_connection',
  text: `
    select ${connectionColumns('c')}, c.client_secret as "clientSecret", c.client_key as "clientKey",
      o.name as "organizationName", o.slug, o.disabled_at is not null as "organizationDisabled"
    from identity.connections c left join identity.organizations o on o.organization_id = c.organization_id
    where c.connection_id = $1`,
}

type Row = ConnectionRow &
  Pick<LoginConnection, 'clientSecret' | 'clientKey'> & {
    organizationName: string | null
    slug: string | null
    organizationDisabled: boolean
  }

/** The connections in PostgreSQL, as logins need them. */
export function createLoginConnectionStore({ pool }: Pick<Database, 'pool'>): LoginConnectionStore {
  return {
    async find(connectionId) {
      const query = pool.query<Row>({ ...findQuery, values: [connectionId] })
      const [row] = (await translateDatabaseErrors(query)).rows
      if (row === undefined) return undefined
      const { clientSecret, clientKey, organizationName: name, slug, organizationDisabled: disabled } = row
      const organization = name === null || slug === null ? undefined : { name, slug, disabled }
      return { ...toConnection(row), clientSecret, clientKey, organization }
    },
  }
}
