import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { authorityAtResource, authorityOfUser } from '@gatehouse/proto/authority'
import { describe, expect, test } from 'vitest'
import { deleteGroup } from '../../src/groups/group-change.ts'
import {
  changeRoles,
  forgetResourceServer,
  type Holder,
  listHeldRoles,
  listRoleHolders,
} from '../../src/roles/role-assignment.ts'
import {
  addGroup,
  done,
  endedIn,
  give,
  group,
  newResource,
  outOfReach,
  refusedFor,
  rolesFor,
  support,
  take,
  unchanged,
  user,
} from '../groups/groups.ts'
import { actor, useReplicas, written } from '../store/replica.ts'

const shared = useReplicas()
const held = async (holder: Holder, effective = false) =>
  (await listHeldRoles({ holder, effective, limit: 200 }, shared.replica().roles)).items.map(
    ({ role, groupName }) => (groupName === undefined ? role : `${role} by ${groupName}`),
  )
const unknownUser = refusedFor('There is no such user.')
const unknownGroup = refusedFor('There is no such group.')

describe('giving roles', () => {
  test('to users and groups has a result for each: one bad item fails alone', async () => {
    const replica = shared.another()
    const [{ id }, { groupId }] = [await shared.addUser(), await addGroup(replica)]
    const resource = newResource()
    const holders = [
      user(id),
      group(groupId),
      user(randomUUID()),
      group(id),
      user(groupId),
      user('no uuid'),
      user(id),
    ]
    const results = [done, done, unknownUser, unknownGroup, unknownUser, unknownUser, done]
    expect(await give(replica, rolesFor(resource, 'reader', ...holders))).toEqual(results)
    expect(await give(replica, rolesFor(resource, 'reader', user(id), group(groupId)))).toEqual([
      unchanged,
      unchanged,
    ])
    expect(await held(user(id))).toEqual(['reader'])
    expect(await held(group(groupId))).toEqual(['reader'])
    expect(replica.revoked).toEqual([])
    const after = { resource: resource.resource, role: 'reader', user_ids: [id], group_ids: [groupId] }
    expect(await shared.auditOf(resource.resource)).toEqual([written('role.give', null, after)])
  })

  test('to one user is told of the user in the audit log', async () => {
    const { id } = await shared.addUser()
    const { resourceId, resource } = newResource()
    const assignments = ['a', 'b'].map((role) => ({ resourceId, resource, role, holder: user(id) }))
    await give(shared.replica(), assignments)
    await take(shared.replica(), assignments.slice(1))
    const entry = (role: string) => ({ resource, role, user_ids: [id] })
    expect(await shared.auditOf(id)).toEqual([
      written('role.give', null, entry('a')),
      written('role.give', null, entry('b')),
      written('role.take', entry('b'), null),
    ])
  })

  test('takes 500 at once, and no more', async () => {
    const replica = shared.replica()
    const rows = await shared.query(
      `insert into identity.users (id, username) select id, 'plain-' || id
      from (select gen_random_uuid() as id from generate_series(1, 501)) new returning id`,
    )
    const assignments = rolesFor(newResource(), 'reader', ...rows.map(({ id }) => user(String(id))))
    for (const field of ['give', 'take']) {
      const all = { give: [], take: [], [field]: assignments }
      const description = `${field} must have at most 500 items.`
      await expect(changeRoles(all, actor, replica.roles)).rejects.toMatchObject({ description })
    }
    expect(await give(replica, assignments.slice(1))).toEqual(Array(500).fill(done))
    expect(await take(replica, assignments.slice(1))).toEqual(Array(500).fill(done))
  })
})

describe('taking roles', () => {
  test('ends the tokens of a user, and at the resource server those of a group’s members', async () => {
    const replica = shared.another()
    const { id } = await shared.addUser()
    const [full, empty] = [await addGroup(replica, [id]), await addGroup(replica)]
    const resource = newResource()
    const all = rolesFor(resource, 'reader', user(id), group(full.groupId), group(empty.groupId))
    await give(replica, all)
    expect(await take(replica, all.slice(2))).toEqual([done])
    expect(endedIn(replica)).toEqual([])
    expect(await take(replica, all)).toEqual([done, done, unchanged])
    expect(endedIn(replica)).toEqual([authorityAtResource(resource.resource), authorityOfUser(id)])
    expect(await take(replica, all)).toEqual([unchanged, unchanged, unchanged])
    expect(replica.revoked).toHaveLength(2)
    expect(await held(user(id), true)).toEqual([])
  })

  test('happens before roles are given in the same request', async () => {
    const replica = shared.another()
    const { id } = await shared.addUser()
    const [reader] = rolesFor(newResource(), 'reader', user(id))
    if (reader === undefined) throw new Error('there is one')
    const writer = { ...reader, role: 'writer' }
    await give(replica, [reader])
    const results = await changeRoles({ give: [writer, reader], take: [reader] }, actor, replica.roles)
    expect(results).toEqual({ given: [done, done], taken: [done] })
    expect(await held(user(id))).toEqual(['reader', 'writer'])
  })

  test('is delivered later when the token service is away', async () => {
    const replica = shared.another()
    const { id } = await shared.addUser()
    const assignments = rolesFor(newResource(), 'reader', user(id))
    await give(replica, assignments)
    replica.tokenAway = true
    await take(replica, assignments)
    await expect(replica.deliverAll()).rejects.toThrow('away')
    replica.tokenAway = false
    await replica.deliverAll()
    expect(endedIn(replica)).toEqual([authorityOfUser(id)])
  })

  test('from a group finds members who join it at the same moment', async () => {
    const replica = shared.another()
    const [{ id }, { groupId }] = [await shared.addUser(), await addGroup(replica)]
    const resource = newResource()
    const assignments = rolesFor(resource, 'reader', group(groupId))
    await give(replica, assignments)
    const joining = await replica.database.pool.connect()
    try {
      await joining.query('begin')
      await joining.query('insert into identity.group_members (group_id, user_id) values ($1, $2)', [
        groupId,
        id,
      ])
      const taking = take(replica, assignments)
      expect(await Promise.race([taking, sleep(200, 'it waits')])).toBe('it waits')
      await joining.query('commit')
      expect(await taking).toEqual([done])
    } finally {
      joining.release()
    }
    expect(endedIn(replica)).toEqual([authorityAtResource(resource.resource)])
  })
})

test('an administrator of a part changes no roles of administrators, nor of groups with them', async () => {
  const replica = shared.replica()
  const [person, administrator] = [await shared.addUser(), await shared.addUser({ adminRole: 'support' })]
  const [plain, staff] = [await addGroup(replica, [person.id]), await addGroup(replica, [administrator.id])]
  const holders = [user(person.id), group(plain.groupId), user(administrator.id), group(staff.groupId)]
  const assignments = rolesFor(newResource(), 'reader', ...holders)
  const refusals = [
    refusedFor(outOfReach('the user is an administrator')),
    refusedFor(outOfReach('a member of the group is an administrator')),
  ]
  expect(await give(replica, assignments, support)).toEqual([done, done, ...refusals])
  expect(await held(user(administrator.id), true)).toEqual([])
  expect(await give(replica, assignments)).toEqual([unchanged, unchanged, done, done])
  expect(await take(replica, assignments, support)).toEqual([done, done, ...refusals])
})

test('the roles of a user say by which group they have them', async () => {
  const replica = shared.replica()
  const { id } = await shared.addUser()
  const { groupId, name } = await addGroup(replica, [id])
  const resource = newResource()
  await give(replica, rolesFor(resource, 'reader', user(id), group(groupId)))
  await give(replica, rolesFor(resource, 'writer', group(groupId)))
  expect(await held(user(id))).toEqual(['reader'])
  expect((await held(user(id), true)).sort()).toEqual(['reader', `reader by ${name}`, `writer by ${name}`])
  expect(await held(group(groupId), true)).toEqual(['reader', 'writer'])
  await deleteGroup(groupId, actor, replica.groups)
  expect(await held(user(id), true)).toEqual(['reader'])
})

test('the roles of a user are listed in pages', async () => {
  const { id } = await shared.addUser()
  const resource = newResource()
  for (const role of ['c', 'a', 'b']) await give(shared.replica(), rolesFor(resource, role, user(id)))
  const page = { holder: user(id), effective: true, limit: 2 }
  const { items, nextCursor } = await listHeldRoles(page, shared.replica().roles)
  expect(items).toMatchObject([
    { ...resource, role: 'a', groupId: undefined },
    { role: 'b', givenAt: expect.any(Date) },
  ])
  const next = await listHeldRoles({ ...page, cursor: nextCursor }, shared.replica().roles)
  expect(next).toMatchObject({ items: [{ role: 'c' }], nextCursor: undefined })
})

test('the holders of a role are users and groups, in pages', async () => {
  const replica = shared.replica()
  const { id, username } = await shared.addUser()
  const { groupId, name } = await addGroup(replica, [id])
  const resource = newResource()
  await give(replica, rolesFor(resource, 'reader', group(groupId)))
  await give(replica, rolesFor(resource, 'reader', user(id)))
  await give(replica, rolesFor(resource, 'writer', user(id)))
  const wanted = { resourceId: resource.resourceId, role: 'reader', limit: 1 }
  const first = await listRoleHolders(wanted, replica.roles)
  expect(first.items).toMatchObject([{ holder: group(groupId), name }])
  const next = await listRoleHolders({ ...wanted, cursor: first.nextCursor }, replica.roles)
  expect(next).toMatchObject({ items: [{ holder: user(id), name: username }], nextCursor: undefined })
  const nobody = { items: [], nextCursor: undefined }
  expect(await listRoleHolders({ ...wanted, resourceId: randomUUID() }, replica.roles)).toEqual(nobody)
  expect(await listRoleHolders({ ...wanted, resourceId: 'none' }, replica.roles)).toEqual(nobody)
})

test('those of unknown users and groups are not found', async () => {
  for (const holder of [user(randomUUID()), user('x'), group(randomUUID()), group('x')])
    await expect(held(holder)).rejects.toMatchObject({ code: 'not_found' })
})

test('a resource server that is deleted takes all assignments of its roles along', async () => {
  const { id } = await shared.addUser()
  const [gone, left] = [newResource(), newResource()]
  await give(shared.replica(), [...rolesFor(gone, 'gone', user(id)), ...rolesFor(left, 'left', user(id))])
  for (const resourceId of [gone.resourceId, gone.resourceId, 'none'])
    await forgetResourceServer({ resourceId, keptRoles: [] }, shared.replica().roles)
  expect(await held(user(id))).toEqual(['left'])
})

test('nobody has a role that was deleted and is made anew', async () => {
  const { id } = await shared.addUser()
  const resource = newResource()
  await give(shared.replica(), [
    ...rolesFor(resource, 'gone', user(id)),
    ...rolesFor(resource, 'left', user(id)),
  ])
  const { resourceId } = resource
  await forgetResourceServer({ resourceId, keptRoles: ['left', 'other'] }, shared.replica().roles)
  expect(await held(user(id))).toEqual(['left'])
})
