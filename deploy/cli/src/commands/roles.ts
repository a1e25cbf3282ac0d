import type { HeldRole, RoleHoldersChange } from '@gatehouse/admin-api/generated/openapi'
import { type Command, Option } from 'commander'
import { type Api, dataOf } from '../api.ts'
import { adderTo, addOptions, type CommandDeps } from '../command.ts'
import { CommandFailure, exitCodes } from '../failure.ts'
import { findGroup } from '../finding/find-group.ts'
import { findResourceId } from '../finding/find-resource.ts'
import { findUser } from '../finding/find-user.ts'
import { addList, type List, page } from '../list.ts'
import { inOrganizations } from '../organization-place.ts'
import { type Columns, type Output, table } from '../output.ts'
import { outcomeOf } from './outcome.ts'
import { addRoleImport } from './role-import.ts'

const columns: Columns<HeldRole> = {
  resource: 'resource',
  role: 'role',
  'by group': 'group_name',
  'in effect': 'in_effect',
  given: 'given_at',
}

const ofUser: List<'/admin/api/users/{user_id}/roles'> = {
  path: '/admin/api/users/{user_id}/roles',
  description: 'list the roles of a user (id or name) at resource servers',
  options: {
    effective: new Option('--effective', 'also those of their groups'),
    ...page,
  },
  of: async (name, api) => ({ user_id: (await findUser(api, name)).user_id }),
  columns,
  nothing: 'No roles.',
}

const ofGroup: List<'/admin/api/groups/{group_id}/roles'> = {
  path: '/admin/api/groups/{group_id}/roles',
  description: 'list the roles of a group (id or name) at resource servers',
  options: page,
  of: async (named, api) => ({ group_id: (await findGroup(api, named)).group_id }),
  columns,
  nothing: 'No roles.',
}

const changes = [
  ['give', 'give a role of a resource server (identifier or id) to users and groups', 'has', 'given'],
  [
    'take',
    'take a role from users and groups; the tokens that were made by it end',
    'no longer has',
    'taken',
  ],
] as const

/** gatehouse roles … */
export function roleCommands(program: Command, deps: CommandDeps): void {
  const roles = program.command('roles').description('roles of resource servers, and those who have them')
  const placed = inOrganizations(roles, deps)
  const add = adderTo(roles, placed)
  addList(roles, 'list <user>', ofUser, placed)
  addList(roles, 'list-group <group>', ofGroup, placed)
  holdersCommand(add)

  for (const [command, description, done, results] of changes) {
    const added = add(
      `${command} <resource> <role>`,
      description,
      async (api, named: string, role: string) => {
        const id = await findResourceId(api, named)
        const found = await findHolders(api, holders())
        const body: RoleHoldersChange = { [command]: found.map(({ holder }) => holder) }
        const params = { path: { resource_id: id, role } }
        const path = '/admin/api/resources/{resource_id}/roles/{role}/holders'
        const json = await dataOf(api.PATCH(path, { params, body }))
        return outcomeOf(
          json,
          json[results].map((result, index) => ({
            result,
            done: `${found[index]?.name} ${done} the role ${role}.`,
          })),
        )
      },
    )
    const holders = addOptions<Holders>(added, {
      users: several('--user <user...>', 'users, by id or name'),
      groups: several('--group <group...>', 'groups, by id or name'),
    })
  }
  placed.addOption()
  // The roles that it imports belong to no organization.
  addRoleImport(roles, deps)
}

type Holders = { users: string[]; groups: string[] }

const several = (flags: string, description: string) => new Option(flags, description)

/** @throws CommandFailure for an unknown user or group, and when there are none */
async function findHolders(api: Api, { users = [], groups = [] }: Partial<Holders>) {
  if (users.length + groups.length === 0)
    throw new CommandFailure('Say who with --user or --group.', exitCodes.usage)
  const found: { name: string; holder: { user_id: string } | { group_id: string } }[] = []
  for (const name of users) {
    const { user_id: id, username } = await findUser(api, name)
    found.push({ name: username, holder: { user_id: id } })
  }
  for (const named of groups) {
    const { group_id: id, name } = await findGroup(api, named)
    found.push({ name, holder: { group_id: id } })
  }
  return found
}

/** The command that shows who has a role. */
function holdersCommand(add: ReturnType<typeof adderTo>): void {
  const command = add(
    'holders <resource> <role>',
    'list the users and groups that have a role of a resource server (identifier or id)',
    async (api, named: string, role: string): Promise<Output> => {
      const id = await findResourceId(api, named)
      const params = { path: { resource_id: id, role }, query: query() }
      const json = await dataOf(
        api.GET('/admin/api/resources/{resource_id}/roles/{role}/holders', { params }),
      )
      const text = table(
        json.items,
        {
          kind: ({ user_id: userId }) => (userId === undefined ? 'group' : 'user'),
          id: ({ user_id: userId, group_id: groupId }) => userId ?? groupId,
          name: 'name',
          given: 'given_at',
        },
        'Nobody has the role.',
      )
      return { json, text }
    },
  )
  const query = addOptions<{ limit: number; cursor: string }>(command, page)
}
