import type { OrganizationMembersChange } from '@gatehouse/admin-api/generated/openapi'
import { groups } from '@gatehouse/proto/administered/groups'
import { type MemberRole, memberRoleNames } from '@gatehouse/proto/organizations'
import { type Command, Option } from 'commander'
import { type Api, dataOf } from '../../api.ts'
import { adderTo, addOptions, type CommandDeps } from '../../command.ts'
import { atOrganization, findOrganization } from '../../finding/find-organization.ts'
import { findUser } from '../../finding/find-user.ts'
import { addList, type List, page } from '../../list.ts'
import type { Output } from '../../output.ts'
import { outcomeOf } from '../outcome.ts'

const idOf = async (which: string, api: Api) => ({
  organization_id: (await findOrganization(api, which)).organization_id,
})

const members: List<'/admin/api/organizations/{organization_id}/members'> = {
  path: '/admin/api/organizations/{organization_id}/members',
  description: 'list the members of an organization (id or slug), by name',
  options: { search: new Option('--search <text>', 'a part of the name'), ...page },
  of: idOf,
  columns: { id: 'user_id', name: 'username', role: 'role', disabled: 'disabled', joined: 'joined_at' },
  nothing: 'No members.',
}

const groupsOf: List<'/admin/api/organizations/{organization_id}/groups'> = {
  path: '/admin/api/organizations/{organization_id}/groups',
  description: 'list the groups of an organization (id or slug)',
  options: {
    search: new Option('--search <text>', 'a part of the name'),
    sort: new Option('--sort <order>', 'by default name').choices([...groups.sorts]),
    ...page,
  },
  of: idOf,
  columns: groups.table,
  nothing: 'No groups.',
}

const ofUser: List<'/admin/api/users/{user_id}/organizations'> = {
  path: '/admin/api/users/{user_id}/organizations',
  description: 'list the organizations of a user (id or name), by name',
  options: page,
  of: async (name, api) => ({ user_id: (await findUser(api, name)).user_id }),
  columns: {
    id: ({ organization }) => organization.organization_id,
    slug: ({ organization }) => organization.slug,
    name: ({ organization }) => organization.name,
    role: 'role',
    disabled: ({ organization }) => organization.disabled,
  },
  nothing: 'No organizations.',
}

/** The commands of `gatehouse organizations` about members and groups. */
export function organizationMemberCommands(organizations: Command, deps: CommandDeps): void {
  const add = adderTo(organizations, deps)
  addList(organizations, 'members <organization>', members, deps)
  addList(organizations, 'groups <organization>', groupsOf, deps)
  addList(organizations, 'of <user>', ofUser, deps)

  const addition = add(
    'add-member <organization> <users...>',
    'make users (id or name) members of an organization (id or slug), or change what they are in it',
    (api, which: string, users: string[]) => {
      const { role = 'member' } = given()
      const setting = (ids: string[]) => ({ set: ids.map((id) => ({ user_id: id, role })) })
      return change(api, { which, users, body: setting, done: `is ${role} of` })
    },
  )
  const given = addOptions<{ role: MemberRole }>(addition, {
    role: new Option('--role <role>', 'what they are; by default member').choices([...memberRoleNames]),
  })

  add(
    'remove-member <organization> <users...>',
    'remove users (id or name) from an organization (id or slug); what they granted in it ends',
    (api, which: string, users: string[]) =>
      change(api, { which, users, body: (ids) => ({ remove: ids }), done: 'is no longer in' }),
  )
}

type Change = {
  which: string
  users: readonly string[]
  body(userIds: string[]): OrganizationMembersChange
  done: string
}

async function change(api: Api, { which, users, body, done }: Change): Promise<Output> {
  const { organization_id: id, name } = await findOrganization(api, which)
  const found: { user_id: string; username: string }[] = []
  for (const user of users) found.push(await findUser(api, user))
  const path = '/admin/api/organizations/{organization_id}/members'
  const changes = body(found.map(({ user_id: userId }) => userId))
  const json = await dataOf(api.PATCH(path, { ...atOrganization(id), body: changes }))
  const results = [...json.set, ...json.removed]
  return outcomeOf(
    json,
    results.map((result, index) => ({ result, done: `${found[index]?.username} ${done} ${name}.` })),
  )
}
