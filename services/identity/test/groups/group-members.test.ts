import { randomUUID } from 'node:crypto'
import { authorityOfUser } from '@gatehouse/proto/authority'
import { describe, expect, test } from 'vitest'
import { deleteGroup } from '../../src/groups/group-change.ts'
import { changeMembers, listMembers, listUserGroups } from '../../src/groups/group-members.ts'
import { deleteUser } from '../../src/users/user-change.ts'
import { actor, useReplicas, written } from '../store/replica.ts'
import { addGroup, done, endedIn, join, leave, outOfReach, refusedFor, support, unchanged } from './groups.ts'

const shared = useReplicas()
const list = (groupId: string, wanted: object = {}) =>
  listMembers({ groupId, limit: 50, ...wanted }, shared.replica().groups)
const namesIn = async (groupId: string, wanted?: object) =>
  (await list(groupId, wanted)).items.map(({ username }) => username)
const unknownUser = refusedFor('There is no such user.')

describe('adding members', () => {
  test('has a result for each: one bad item fails alone', async () => {
    const replica = shared.another()
    const [one, two] = [await shared.addUser(), await shared.addUser()]
    const { groupId, name } = await addGroup(replica, [one.id])
    const results = await join(replica, groupId, [two.id, one.id, randomUUID(), 'no uuid', two.id])
    expect(results).toEqual([done, unchanged, unknownUser, unknownUser, done])
    expect((await list(groupId)).total).toBe(2)
    expect(replica.revoked).toEqual([])
    expect((await shared.auditOf(groupId)).at(-1)).toEqual(
      written('group.members.add', null, { name, user_ids: [two.id] }),
    )
  })

  test('writes no audit entry when nobody is added', async () => {
    const { id } = await shared.addUser()
    const { groupId } = await addGroup(shared.replica(), [id])
    await join(shared.replica(), groupId, [id, randomUUID()])
    expect(await shared.auditOf(groupId)).toHaveLength(2)
  })

  test('takes 500 at once, and no more', async () => {
    const replica = shared.replica()
    const { groupId } = await addGroup(replica)
    const ids = await addUsers(501)
    const description = 'add must have at most 500 items.'
    await expect(join(replica, groupId, ids)).rejects.toMatchObject({ code: 'invalid_request', description })
    expect(await join(replica, groupId, ids.slice(1))).toEqual(Array(500).fill(done))
    expect((await list(groupId)).total).toBe(500)
  })

  test('refuses a user who is in 1,000 groups, also when two add them at once', async () => {
    const replica = shared.another()
    const { id } = await shared.addUser()
    await shared.query(
      `with made as (insert into identity.groups (group_id, name) select gen_random_uuid(), 'of one ' || n
        from generate_series(1, 999) n returning group_id)
      insert into identity.group_members (group_id, user_id) select group_id, $1::uuid from made`,
      [id],
    )
    const groups = [await addGroup(replica), await addGroup(replica), await addGroup(replica)]
    const results = (await Promise.all(groups.map(({ groupId }) => join(replica, groupId, [id])))).flat()
    const tooMany = refusedFor('The user is in 1,000 groups already, the most there may be.')
    expect(results).toHaveLength(3)
    expect(results.filter(({ outcome }) => outcome === 'done')).toEqual([done])
    expect(results.filter(({ outcome }) => outcome === 'refused')).toEqual([tooMany, tooMany])
    // In a group that they are in already, nothing changes.
    const [first] = groups.filter((_, index) => results[index]?.outcome === 'done')
    expect(await join(replica, first?.groupId ?? '', [id])).toEqual([unchanged])
    await shared.query("delete from identity.groups where name like 'of one %'")
  })
})

describe('removing members', () => {
  test('ends the tokens of those who were members, before the administrator is answered', async () => {
    const replica = shared.another()
    const [one, two, stranger] = await addUsers(3)
    const { groupId, name } = await addGroup(replica, [one ?? '', two ?? ''])
    const results = await leave(replica, groupId, [one ?? '', stranger ?? '', randomUUID()])
    expect(results).toEqual([done, unchanged, unknownUser])
    expect(endedIn(replica)).toEqual([authorityOfUser(one ?? '')])
    expect((await shared.auditOf(groupId)).at(-1)).toEqual(
      written('group.members.remove', { name, user_ids: [one] }, null),
    )
    await leave(replica, groupId, [one ?? ''])
    expect(replica.revoked).toHaveLength(1)
  })

  test('is delivered later when the token service is away', async () => {
    const replica = shared.another()
    const { id } = await shared.addUser()
    const { groupId } = await addGroup(replica, [id])
    replica.tokenAway = true
    expect(await leave(replica, groupId, [id])).toEqual([done])
    expect(replica.revoked).toEqual([])
    replica.tokenAway = false
    await replica.deliverAll()
    expect(endedIn(replica)).toEqual([authorityOfUser(id)])
  })

  test('happens before members are added in the same request', async () => {
    const replica = shared.another()
    const { id } = await shared.addUser()
    const { groupId } = await addGroup(replica, [id])
    const both = { groupId, add: [id], remove: [id] }
    expect(await changeMembers(both, actor, replica.groups)).toEqual({ added: [done], removed: [done] })
    expect(endedIn(replica)).toEqual([authorityOfUser(id)])
  })
})

test('deleting a user removes them from their groups', async () => {
  const { id } = await shared.addUser()
  const { groupId } = await addGroup(shared.replica(), [id])
  await deleteUser(id, actor, shared.replica().admin.changes)
  expect((await list(groupId)).total).toBe(0)
})

test('an administrator of a part neither adds nor removes administrators, and so not themselves', async () => {
  const replica = shared.replica()
  const [person, administrator] = [await shared.addUser(), await shared.addUser({ adminRole: 'support' })]
  const { groupId } = await addGroup(replica)
  const refusal = refusedFor(outOfReach('the user is an administrator'))
  expect(await join(replica, groupId, [administrator.id, person.id], support)).toEqual([refusal, done])
  expect(await join(replica, groupId, [administrator.id])).toEqual([done])
  expect(await leave(replica, groupId, [administrator.id, person.id], support)).toEqual([refusal, done])
  expect(await leave(replica, groupId, [administrator.id])).toEqual([done])
})

test('only its directory changes the members of a group that has one', async () => {
  const [{ id }, { groupId }] = [await shared.addUser(), await addGroup(shared.replica())]
  await shared.query("update identity.groups set source = 'ldap' where group_id = $1", [groupId])
  const refusal = { code: 'access_denied', description: expect.stringContaining('Only the directory ldap') }
  await expect(join(shared.replica(), groupId, [id])).rejects.toMatchObject(refusal)
  await expect(leave(shared.replica(), groupId, [id])).rejects.toMatchObject(refusal)
})

test.each([randomUUID(), 'no uuid'])('an unknown group is not found: %j', async (groupId) => {
  const unknown = { code: 'not_found' }
  await expect(list(groupId)).rejects.toMatchObject(unknown)
  await expect(join(shared.replica(), groupId, [])).rejects.toMatchObject(unknown)
  const { groups } = shared.replica()
  await expect(listUserGroups({ userId: groupId, limit: 5 }, groups)).rejects.toMatchObject(unknown)
})

test('the list of members is by name, in pages, and searched by a part of the name', async () => {
  const replica = shared.replica()
  const mark = randomUUID().slice(0, 8)
  const users = ['Cleo', 'ann', 'Bob', 'Joanna'].map((name) =>
    shared.addUser({ username: `${name}-${mark}` }),
  )
  const { groupId } = await addGroup(
    replica,
    (await Promise.all(users)).map(({ id }) => id),
  )
  await addGroup(replica, await addUsers(3))
  const sorted = ['ann', 'Bob', 'Cleo', 'Joanna'].map((name) => `${name}-${mark}`)
  expect(await namesIn(groupId)).toEqual(sorted)
  const { nextCursor } = await list(groupId, { limit: 3 })
  expect(await namesIn(groupId, { limit: 3, cursor: nextCursor })).toEqual(sorted.slice(3))
  expect(await namesIn(groupId, { search: 'ANN' })).toEqual([`ann-${mark}`, `Joanna-${mark}`])
  expect(await namesIn(groupId, { search: 'b' })).toEqual([`Bob-${mark}`])
})

test('the list of a user’s groups is by name, in pages', async () => {
  const replica = shared.replica()
  const { id } = await shared.addUser()
  const mark = randomUUID()
  for (const name of ['Ops', 'dev', 'QA']) await addGroup(replica, [id], `${name} ${mark}`)
  await addGroup(replica)
  const first = await listUserGroups({ userId: id, limit: 2 }, replica.groups)
  expect(first.items.map(({ name }) => name)).toEqual([`dev ${mark}`, `Ops ${mark}`])
  const next = await listUserGroups({ userId: id, limit: 2, cursor: first.nextCursor }, replica.groups)
  expect(next).toMatchObject({ items: [{ name: `QA ${mark}` }], nextCursor: undefined })
})

describe('at once', () => {
  test('two administrators who add and remove the same member leave one truth', async () => {
    const replicas = [shared.another(), shared.another()] as const
    const { id } = await shared.addUser()
    const { groupId } = await addGroup(replicas[0])
    for (let round = 0; round < 10; round += 1) {
      const [[added], [removed]] = await Promise.all([
        join(replicas[0], groupId, [id]),
        leave(replicas[1], groupId, [id]),
      ])
      const { total } = await list(groupId)
      // Whether the removal came first or last, each says what it did.
      expect(added).toEqual(done)
      expect(total).toBe(removed?.outcome === 'done' ? 0 : 1)
      await leave(replicas[0], groupId, [id])
      expect((await Promise.all(replicas.map((one) => join(one, groupId, [id])))).flat()).toEqual(
        expect.arrayContaining([done, unchanged]),
      )
      const results = (await Promise.all(replicas.map((one) => leave(one, groupId, [id])))).flat()
      expect(results).toEqual(expect.arrayContaining([done, unchanged]))
    }
  })

  test('a group that is deleted while members are added is gone, with tokens that had it ended', async () => {
    for (let round = 0; round < 10; round += 1) {
      const [adding, deleting] = [shared.another(), shared.another()]
      const ids = await addUsers(20)
      const { groupId } = await addGroup(deleting)
      const [added] = await Promise.allSettled([
        join(adding, groupId, ids),
        deleteGroup(groupId, actor, deleting.groups),
      ])
      expect(await shared.query('select from identity.group_members where group_id = $1', [groupId])).toEqual(
        [],
      )
      if (added.status === 'rejected') expect(added.reason).toMatchObject({ code: 'not_found' })
      expect(endedIn(deleting)).toEqual(added.status === 'rejected' ? [] : ['all:'])
    }
  })

  test('users who are deleted while they are added are unknown or gone', async () => {
    const replica = shared.another()
    const { groupId } = await addGroup(replica)
    const ids = await addUsers(8)
    const outcomes = await Promise.allSettled([
      ...ids.map((id) => deleteUser(id, actor, replica.admin.changes)),
      ...[0, 1, 2].map(() => join(shared.replica(), groupId, ids)),
    ])
    expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([])
    expect((await list(groupId)).total).toBe(0)
  })
})

/** Adds users who cannot log in. */
async function addUsers(count: number): Promise<string[]> {
  const rows = await shared.query(
    `insert into identity.users (id, username) select id, 'plain-' || id
    from (select gen_random_uuid() as id from generate_series(1, $1::int)) new returning id`,
    [count],
  )
  return rows.map(({ id }) => String(id))
}
