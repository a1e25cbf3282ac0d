import type {
  Group,
  Organization,
  OrganizationChange,
  OrganizationToCreate,
} from '@gatehouse/admin-api/generated/openapi'
import { allowsScope, areaScope } from '@gatehouse/proto/administration'
import { type Api, allPages, dataOf } from '../api.ts'
import { atOrganization, organizationOfSlug } from '../finding/find-organization.ts'
import type { Fields, Kind } from './kind.ts'

/** The most that a list of the API gives at once. */
const limit = 200
const pageAfter = (cursor: string | undefined) => ({ query: { limit, ...(cursor && { cursor }) } })

type DeclaredGroup = Pick<Group, 'name'> & Partial<Pick<Group, 'description'>>

/** Organizations with their groups. Who belongs to them is no matter of files: members come and go. */
export const organizations: Kind = {
  name: 'organization',
  section: 'organizations',
  key: 'slug',
  kept: true,
  fields: {
    name: {},
    logo_uri: { absent: () => undefined, removed: null },
    color: { absent: () => undefined, removed: null },
    attributes: { absent: () => ({}) },
    second_factor_required: { absent: () => false },
    sso_required: { absent: () => false },
    disabled: { absent: () => false, only: 'when changed' },
    groups: { unordered: true, entry: { description: '' }, only: 'when changed' },
  },
  async find(api, slug) {
    const found = await organizationOfSlug(api, slug)
    return found && withGroups(api, found)
  },
  async list(api) {
    const { scopes } = await dataOf(api.GET('/admin/api/me'))
    if (!allowsScope(scopes, areaScope('organizations', 'read'))) return []
    const all = await allPages(
      async (cursor): Promise<{ items: Organization[]; next_cursor?: string }> =>
        dataOf(api.GET('/admin/api/organizations', { params: pageAfter(cursor) })),
    )
    const found: Fields[] = []
    for (const organization of all) found.push(await withGroups(api, organization))
    return found
  },
  async create(api, body) {
    await dataOf(api.POST('/admin/api/organizations', { body: body as OrganizationToCreate }))
    return {}
  },
  async update(api, { organization_id: id, revision }, { groups, ...fields }) {
    if (groups !== undefined) await setGroups(api, id as string, groups as DeclaredGroup[])
    if (Object.keys(fields).length === 0) return
    const path = '/admin/api/organizations/{organization_id}'
    const body = { ...fields, revision } as OrganizationChange
    await dataOf(api.PATCH(path, { ...atOrganization(id as string), body }))
  },
  delete: (api, { organization_id: id }) =>
    dataOf(api.DELETE('/admin/api/organizations/{organization_id}', atOrganization(id as string))),
}

function groupsOf(api: Api, id: string): Promise<Group[]> {
  const path = '/admin/api/organizations/{organization_id}/groups'
  return allPages(
    async (cursor): Promise<{ items: Group[]; next_cursor?: string }> =>
      dataOf(api.GET(path, { params: { ...atOrganization(id).params, ...pageAfter(cursor) } })),
  )
}

async function withGroups(api: Api, organization: Organization): Promise<Fields> {
  const groups = await groupsOf(api, organization.organization_id)
  return { ...organization, groups: groups.map(({ name, description }) => ({ name, description })) }
}

/** Makes the groups of an organization as they are declared: a group is the one that has the name, whatever its case. */
async function setGroups(api: Api, id: string, declared: readonly DeclaredGroup[]): Promise<void> {
  const path = '/admin/api/organizations/{organization_id}/groups'
  const one = `${path}/{group_id}` as const
  const keyOf = ({ name }: { name: string }) => name.toLowerCase()
  const existing = new Map((await groupsOf(api, id)).map((group) => [keyOf(group), group]))
  for (const { name, description = '' } of declared) {
    const group = existing.get(keyOf({ name }))
    existing.delete(keyOf({ name }))
    const body = { name, description }
    if (group === undefined) await dataOf(api.POST(path, { ...atOrganization(id), body }))
    else if (group.name !== name || group.description !== description)
      await dataOf(api.PATCH(one, { ...atGroup(id, group), body }))
  }
  for (const group of existing.values()) await dataOf(api.DELETE(one, atGroup(id, group)))
}

function atGroup(id: string, { group_id: groupId }: Group) {
  return { params: { path: { organization_id: id, group_id: groupId } } }
}
