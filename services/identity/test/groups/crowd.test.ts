import { beforeAll, expect, test } from 'vitest'
import { deleteGroup } from '../../src/groups/group-change.ts'
import { listMembers, listUserGroups } from '../../src/groups/group-members.ts'
import { getAuthorities } from '../../src/roles/authority.ts'
import { listHeldRoles, listRoleHolders } from '../../src/roles/role-assignment.ts'
import { actor, type Replica, useReplicas } from '../store/replica.ts'
import { addGroup, done, give, group, join, leave, newResource, rolesFor, take, user } from './groups.ts'

// The most groups that there may be, and of one user, and many members of one. How long that takes is not judged beside other tests.

const shared = useReplicas()
const resource = newResource()
let busy = ''
let crowd: string[] = []
let groupId = ''

beforeAll(async () => {
  busy = (await shared.addUser({ username: 'busy' })).id
  groupId = (await addGroup(shared.replica(), [busy], 'zzz all')).groupId
  await give(shared.replica(), rolesFor(resource, 'of all', group(groupId)))
  await shared.query(
    `with made as (insert into identity.groups (group_id, name) select gen_random_uuid(), 'group ' || n
      from generate_series(1, 9999) n returning group_id),
    joined as (insert into identity.group_members (group_id, user_id) select group_id, $1::uuid from made limit 999)
    insert into identity.role_assignments (assignment_id, resource_id, resource, role, group_id)
    select gen_random_uuid(), $2::uuid, $3, 'role-' || n, group_id from made, generate_series(1, 3) n`,
    [busy, resource.resourceId, resource.resource],
  )
  const users = await shared.query(
    `with people as (insert into identity.users (id, username) select gen_random_uuid(), 'crowd-' || n
      from generate_series(1, 10000) n returning id),
    joined as (insert into identity.group_members (group_id, user_id) select $1::uuid, id from people),
    given as (insert into identity.role_assignments (assignment_id, resource_id, resource, role, user_id)
      select gen_random_uuid(), $2::uuid, $3, 'own', id from people)
    select id from people`,
    [groupId, resource.resourceId, resource.resource],
  )
  crowd = users.map(({ id }) => String(id))
  await shared.query(
    'vacuum analyze identity.group_members, identity.groups, identity.role_assignments, identity.users',
  )
}, 120_000)

test('roles and groups of fifty users at once', async () => {
  const wanted = { resourceIds: [resource.resourceId], groups: true }
  const questions = [busy, ...crowd.slice(0, 50)].map((userId) => ({ ...wanted, userId }))
  const [answer, ...others] = await getAuthorities(questions, shared.replica().roles.authorities)
  expect(answer?.groups).toHaveLength(1_000)
  const { resourceId } = resource
  expect(answer?.roles).toEqual([{ resourceId, roles: ['of all', 'role-1', 'role-2', 'role-3'] }])
  expect(others).toHaveLength(50)
  for (const { roles } of others) expect(roles).toEqual([{ resourceId, roles: ['of all', 'own'] }])
})

test.each<[string, (replica: Replica) => Promise<{ items: unknown[] }>]>([
  ['members', ({ groups }) => listMembers({ groupId, limit: 50 }, groups)],
  ['members that many match', ({ groups }) => listMembers({ groupId, limit: 50, search: 'crowd' }, groups)],
  ['members that one matches', ({ groups }) => listMembers({ groupId, limit: 50, search: '-7777' }, groups)],
  ['members by a beginning', ({ groups }) => listMembers({ groupId, limit: 50, search: 'cr' }, groups)],
  ['groups of a user', ({ groups }) => listUserGroups({ userId: busy, limit: 50 }, groups)],
  [
    'effective roles of a user',
    ({ roles }) => listHeldRoles({ holder: user(busy), effective: true, limit: 50 }, roles),
  ],
  [
    'holders of a role',
    ({ roles }) => listRoleHolders({ resourceId: resource.resourceId, role: 'own', limit: 50 }, roles),
  ],
  [
    'groups',
    ({ groups }) =>
      groups.groups.in(undefined).list({ search: undefined, sort: 'name', filter: {}, limit: 50 }),
  ],
  [
    'groups that match',
    ({ groups }) => groups.groups.in(undefined).list({ search: '777', sort: 'name', filter: {}, limit: 50 }),
  ],
])('a page of %s', async (_, read) => {
  expect((await read(shared.replica())).items.length).toBeGreaterThan(0)
})

test('500 who leave, join, get and lose a role, and the end of the group', async () => {
  const replica = shared.another()
  const some = crowd.slice(0, 500)
  const all = Array(500).fill(done)
  expect(await leave(replica, groupId, some)).toEqual(all)
  expect(await join(replica, groupId, some)).toEqual(all)
  const roles = rolesFor(resource, 'new', ...some.map(user))
  expect(await give(replica, roles)).toEqual(all)
  expect(await take(replica, roles)).toEqual(all)
  await deleteGroup(groupId, actor, replica.groups)
})
