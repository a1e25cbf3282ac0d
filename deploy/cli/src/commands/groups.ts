import type {
  Group,
  GroupChange,
  GroupMembersChange,
  GroupToCreate,
} from '@gatehouse/admin-api/generated/openapi'
import { groups as definition } from '@gatehouse/proto/administered/groups'
import { groupFields as words } from '@gatehouse/proto/groups'
import { type Command, Option } from 'commander'
import { addAdministeredList } from '../administered-list.ts'
import { type Api, dataOf } from '../api.ts'
import { adderTo, addOptions, type CommandDeps } from '../command.ts'
import { atGroup, findGroup } from '../finding/find-group.ts'
import { findUser } from '../finding/find-user.ts'
import { addList, type List, page } from '../list.ts'
import { inOrganizations } from '../organization-place.ts'
import { fields, type Output } from '../output.ts'
import { outcomeOf } from './outcome.ts'

const members: List<'/admin/api/groups/{group_id}/members'> = {
  path: '/admin/api/groups/{group_id}/members',
  description: 'list the members of a group (id or name), by name',
  options: { search: new Option('--search <text>', 'a part of the name'), ...page },
  of: async (named, api) => ({ group_id: (await findGroup(api, named)).group_id }),
  columns: { id: 'user_id', name: 'username', disabled: 'disabled', added: 'added_at' },
  nothing: 'No members.',
}

const groupsOfUser: List<'/admin/api/users/{user_id}/groups'> = {
  path: '/admin/api/users/{user_id}/groups',
  description: 'list the groups of a user (id or name), by name',
  options: page,
  of: async (name, api) => ({ user_id: (await findUser(api, name)).user_id }),
  columns: definition.table,
  nothing: 'No groups.',
}

const settings = {
  name: new Option('--name <name>', words.name.description),
  description: new Option('--description <text>', words.description.description),
}

const memberChanges = [
  ['add-member', 'add', 'add users (id or name) to a group (id or name)', 'is in'],
  [
    'remove-member',
    'remove',
    'remove users (id or name) from a group (id or name); their tokens with its roles end',
    'is no longer in',
  ],
] as const

/** gatehouse groups … */
export function groupCommands(program: Command, deps: CommandDeps): void {
  const groups = program.command('groups').description('groups of users, which have roles and are in tokens')
  const placed = inOrganizations(groups, deps)
  const add = adderTo(groups, placed)
  addAdministeredList(groups, definition, '/admin/api/groups', placed)
  addList(groups, 'members <group>', members, placed)
  addList(groups, 'of <user>', groupsOfUser, placed)

  add('show <group>', 'show one group (id or name)', async (api, named: string) =>
    shown(await findGroup(api, named)),
  )

  const creation = add('create <name>', 'create a group', async (api, name: string) =>
    shown(await dataOf(api.POST('/admin/api/groups', { body: { ...given(), name } }))),
  )
  const given = addOptions<Omit<GroupToCreate, 'name'>>(creation, { description: settings.description })

  const update = add(
    'update <group>',
    'change the name or the description of a group (id or name)',
    async (api, named: string) => {
      const { group_id: id } = await findGroup(api, named)
      return shown(
        await dataOf(api.PATCH('/admin/api/groups/{group_id}', { ...atGroup(id), body: changes() })),
      )
    },
  )
  const changes = addOptions<Omit<GroupChange, 'revision'>>(update, settings)

  add(
    'delete <group>',
    'delete a group (id or name); its members lose its roles',
    async (api, named: string) => {
      const { group_id: id, name } = await findGroup(api, named)
      await dataOf(api.DELETE('/admin/api/groups/{group_id}', atGroup(id)))
      return { json: { group_id: id, deleted: true }, text: `${name} is deleted.` }
    },
    (named) => `This deletes ${named} and takes its roles from its members. It cannot be undone.`,
  )

  for (const [command, field, description, done] of memberChanges)
    add(`${command} <group> <users...>`, description, (api, named: string, users: string[]) =>
      changeMembers(api, { named, users, field, done }),
    )
  placed.addOption()
}

async function changeMembers(
  api: Api,
  { named, users, field, done }: { named: string; users: string[]; field: 'add' | 'remove'; done: string },
): Promise<Output> {
  const { group_id: id, name } = await findGroup(api, named)
  const found: { user_id: string; username: string }[] = []
  for (const user of users) found.push(await findUser(api, user))
  const body: GroupMembersChange = { [field]: found.map(({ user_id: userId }) => userId) }
  const json = await dataOf(api.PATCH('/admin/api/groups/{group_id}/members', { ...atGroup(id), body }))
  const results = field === 'add' ? json.added : json.removed
  return outcomeOf(
    json,
    results.map((result, index) => ({ result, done: `${found[index]?.username} ${done} ${name}.` })),
  )
}

function shown(group: Group): Output {
  const text = fields({
    id: group.group_id,
    name: group.name,
    description: group.description,
    source: group.source,
    created: group.created_at,
  })
  return { json: group, text }
}
