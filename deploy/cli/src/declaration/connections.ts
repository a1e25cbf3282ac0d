import type { Connection, ConnectionChange, ConnectionToCreate } from '@gatehouse/admin-api/generated/openapi'
import { allowsScope, areaScope } from '@gatehouse/proto/administration'
import { type Api, allPages, dataOf } from '../api.ts'
import { atConnection, connectionOfName } from '../finding/find-connection.ts'
import { atOrganization, findOrganization, organizationOfSlug } from '../finding/find-organization.ts'
import type { Fields, Kind } from './kind.ts'

/** The most that a list of the API gives at once. */
const limit = 200

/**
 * Connections to other identity providers. One is found by its name among those of its organization, or of the instance. Files name the
 * organization by its slug: its id is another one in each system. Who is linked is no matter of files.
 */
export const connections: Kind = {
  name: 'connection',
  section: 'connections',
  key: 'name',
  kept: true,
  nameOf: ({ name, organization }) => (organization === undefined ? String(name) : `${organization}/${name}`),
  fields: {
    organization: { absent: () => undefined, only: 'when created' },
    kind: { only: 'when created' },
    issuer: {},
    client_id: {},
    client_authentication: { absent: () => 'client_secret' },
    // The server keeps no secret for another issuer.
    client_secret: { secret: true, sentWith: ['issuer', 'client_authentication'] },
    scope: { absent: () => 'openid email profile', unordered: true },
    acr_values: { absent: () => undefined, removed: null, unordered: true },
    tenants: { absent: () => [], unordered: true },
    trusts_second_factor: { absent: () => false },
    // Its default depends on the organization, so that an export always says it.
    new_users: {},
    mapping: { absent: () => [] },
    domains: { absent: () => [], unordered: true },
    on_login_page: { absent: () => true },
    disabled: { absent: () => false },
  },
  async find(api, name, { organization: slug }) {
    const organization = slug === undefined ? undefined : await organizationOfSlug(api, String(slug))
    // The organization may be made by the same file.
    if (slug !== undefined && organization === undefined) return undefined
    const found = await connectionOfName(api, name, organization?.organization_id ?? 'none')
    return found && { ...found, organization: slug }
  },
  async list(api) {
    const { scopes } = await dataOf(api.GET('/admin/api/me'))
    if (!allowsScope(scopes, areaScope('connections', 'read'))) return []
    const all = await allPages(async (cursor): Promise<{ items: Connection[]; next_cursor?: string }> => {
      const query = { limit, ...(cursor && { cursor }) }
      return dataOf(api.GET('/admin/api/connections', { params: { query } }))
    })
    const slugs = await slugsOf(api, all)
    return all.map(({ organization, ...connection }): Fields => {
      return { ...connection, ...(organization && { organization: slugs.get(organization) }) }
    })
  },
  async create(api, { organization: slug, ...fields }) {
    const owner = slug === undefined ? undefined : await findOrganization(api, String(slug))
    const body = { ...fields, ...(owner && { organization: owner.organization_id }) } as ConnectionToCreate
    await dataOf(api.POST('/admin/api/connections', { body }))
    return {}
  },
  update(api, { connection_id: id, revision }, fields) {
    const body = { ...fields, revision } as ConnectionChange
    return dataOf(
      api.PATCH('/admin/api/connections/{connection_id}', { ...atConnection(id as string), body }),
    )
  },
  delete: (api, { connection_id: id }) =>
    dataOf(api.DELETE('/admin/api/connections/{connection_id}', atConnection(id as string))),
}

/** The slugs of the organizations of connections, by their ids. */
async function slugsOf(api: Api, all: readonly Connection[]): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(all.flatMap(({ organization }) => organization ?? []))]
  const found = await Promise.all(
    ids.map(async (id) => {
      const path = '/admin/api/organizations/{organization_id}'
      return [id, (await dataOf(api.GET(path, atOrganization(id)))).slug] as const
    }),
  )
  return new Map(found)
}
