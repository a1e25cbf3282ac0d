import { randomUUID } from 'node:crypto'
import { listAdministered } from '@gatehouse/kit/administered/list-request'
import { groups as definition } from '@gatehouse/proto/administered/groups'
import { beforeAll, describe, expect, test } from 'vitest'
import { getGroup } from '../../src/groups/group.ts'
import { createGroup, deleteGroup, updateGroup } from '../../src/groups/group-change.ts'
import { addOrganization } from '../organizations/organizations.ts'
import { actor, useReplicas, written } from '../store/replica.ts'
import { addGroup, endedIn, give, group, newResource, outOfReach, rolesFor, support } from './groups.ts'

const shared = useReplicas()
const create = (name: string, description = '') =>
  createGroup({ name, description }, actor, shared.replica().groups)
const change = (groupId: string, wanted: object, replica = shared.replica(), by = actor) =>
  updateGroup({ groupId, revision: 0n, ...wanted }, by, replica.groups)
const remove = (groupId: string, replica = shared.replica(), by = actor) =>
  deleteGroup(groupId, by, replica.groups)
const get = (groupId: string) => getGroup(groupId, shared.replica().groups.groups)
const newName = () => `group ${randomUUID()}`
const setSource = (groupId: string, source: string) =>
  shared.query('update identity.groups set source = $2 where group_id = $1', [groupId, source])

describe('creating a group', () => {
  test('trims its texts, begins with revision 1 and writes an audit entry', async () => {
    const name = newName()
    const created = await create(`  ${name} `, ' Those who write. ')
    expect(created).toMatchObject({ name, description: 'Those who write.', source: 'local', revision: 1n })
    expect(await get(created.groupId)).toEqual(created)
    const after = { name, description: 'Those who write.' }
    expect(await shared.auditOf(created.groupId)).toEqual([written('group.create', null, after)])
  })

  test.each([
    ['', 'name must have 1 to 200 characters.'],
    ['   ', 'name must have 1 to 200 characters.'],
    ['x'.repeat(201), 'name must have 1 to 200 characters.'],
    ['a\u200bb', 'name has an invisible character.'],
    ['a\nb', 'name has a control character.'],
  ])('refuses the name %j', async (name, description) => {
    await expect(create(name)).rejects.toMatchObject({ code: 'invalid_request', description })
  })

  test('refuses a description that is too long', async () => {
    const description = 'description must have 0 to 1000 characters.'
    await expect(create(newName(), 'x'.repeat(1_001))).rejects.toMatchObject({ description })
  })

  test('refuses a name that another group has, ignoring case', async () => {
    const name = newName()
    await create(name.toUpperCase())
    const taken = { code: 'invalid_request', description: 'name is that of another group.' }
    await expect(create(name)).rejects.toMatchObject(taken)
  })

  test('makes one group of a name when several administrators create it at once', async () => {
    const name = newName()
    const replicas = [shared.another(), shared.another()]
    const tries = [...replicas, ...replicas].map(({ groups }) =>
      createGroup({ name, description: '' }, actor, groups),
    )
    const outcomes = await Promise.allSettled(tries)
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const outcome of outcomes)
      if (outcome.status === 'rejected')
        expect(outcome.reason).toMatchObject({ description: 'name is that of another group.' })
  })
})

describe('changing a group', () => {
  test('raises its revision, and writes the changed fields alone into the audit log', async () => {
    const { groupId, name } = await create(newName())
    expect(await change(groupId, { description: 'New' })).toMatchObject({ name, revision: 2n })
    expect(await change(groupId, { description: 'New', name })).toMatchObject({ revision: 2n })
    expect((await shared.auditOf(groupId)).slice(1)).toEqual([
      written('group.update', { description: '' }, { description: 'New' }),
    ])
  })

  test('may change the case of its own name, but not take another’s', async () => {
    const [one, other] = [await create(newName()), await create(newName())]
    const loud = one.name.toUpperCase()
    expect(await change(one.groupId, { name: loud })).toMatchObject({ name: loud })
    const taken = { code: 'invalid_request', description: 'name is that of another group.' }
    await expect(change(one.groupId, { name: other.name })).rejects.toMatchObject(taken)
  })

  test('that is based on an outdated revision changes nothing', async () => {
    const { groupId } = await create(newName())
    await change(groupId, { revision: 1n, description: 'First' })
    const late = change(groupId, { revision: 1n, description: 'Second' })
    await expect(late).rejects.toMatchObject({ code: 'outdated_revision' })
    expect(await get(groupId)).toMatchObject({ description: 'First', revision: 2n })
  })

  test('ends tokens with groups when its members get another name for it, and at nothing else', async () => {
    const replica = shared.another()
    const { id } = await shared.addUser()
    const [empty, full] = [await addGroup(replica), await addGroup(replica, [id])]
    await change(empty.groupId, { name: newName() }, replica)
    await change(full.groupId, { description: 'New' }, replica)
    expect(endedIn(replica)).toEqual([])
    await change(full.groupId, { name: newName() }, replica)
    expect(endedIn(replica)).toEqual(['all:'])
  })
})

describe('deleting a group', () => {
  test('takes its roles from its members, with an audit entry', async () => {
    const replica = shared.another()
    const { id } = await shared.addUser()
    const { groupId, name } = await addGroup(replica, [id])
    const resource = newResource()
    const held = [
      ...rolesFor(resource, 'reader', group(groupId)),
      ...rolesFor(resource, 'writer', group(groupId)),
    ]
    await give(replica, held)
    await remove(groupId, replica)
    expect(endedIn(replica)).toEqual(['all:', `resource::${resource.resource}`])
    await expect(get(groupId)).rejects.toMatchObject({ code: 'not_found' })
    const roles = ['reader', 'writer'].map((role) => ({ resource: resource.resource, role }))
    expect((await shared.auditOf(groupId)).at(-1)).toEqual(
      written('group.delete', { name, description: '', roles }, null),
    )
    const left = 'select from identity.role_assignments where group_id = $1'
    expect(await shared.query(left, [groupId])).toEqual([])
  })

  test('ends nothing where it has no members', async () => {
    const replica = shared.another()
    const { groupId } = await addGroup(replica)
    await give(replica, rolesFor(newResource(), 'reader', group(groupId)))
    await remove(groupId, replica)
    expect(replica.revoked).toEqual([])
  })
})

test.each([randomUUID(), 'no uuid', ''])('an unknown group is not found: %j', async (groupId) => {
  const unknown = { code: 'not_found', description: 'There is no such group.' }
  await expect(get(groupId)).rejects.toMatchObject(unknown)
  await expect(change(groupId, { name: 'x' })).rejects.toMatchObject(unknown)
  await expect(remove(groupId)).rejects.toMatchObject(unknown)
})

test('a group of an organization is not found without it', async () => {
  const { organizationId } = await addOrganization(shared.replica())
  const { groupId } = await addGroup(shared.replica(), [], newName(), { organizationId })
  const { groups } = shared.replica().groups
  await expect(get(groupId)).rejects.toMatchObject({ code: 'not_found' })
  await expect(change(groupId, { name: 'x' })).rejects.toMatchObject({ code: 'not_found' })
  await expect(remove(groupId)).rejects.toMatchObject({ code: 'not_found' })
  expect(await getGroup(groupId, groups, organizationId)).toMatchObject({ groupId })
  const wanted = { search: undefined, sort: 'name', filter: {}, limit: 200 } as const
  expect((await groups.in(organizationId).list(wanted)).items).toMatchObject([{ groupId }])
  expect(await groups.in(organizationId).total()).toBe(1)
  expect((await groups.in(undefined).list(wanted)).items.map((item) => item.groupId)).not.toContain(groupId)
})

test('only its directory changes a group that has one', async () => {
  const { groupId } = await create(newName())
  await setSource(groupId, 'ldap')
  const refusal = {
    code: 'access_denied',
    description: 'Only the directory ldap changes this group and its members.',
  }
  await expect(change(groupId, { name: newName() })).rejects.toMatchObject(refusal)
  await expect(remove(groupId)).rejects.toMatchObject(refusal)
})

test('an administrator of a part changes no group with administrators in it', async () => {
  const [person, administrator] = [await shared.addUser(), await shared.addUser({ adminRole: 'support' })]
  const replica = shared.replica()
  const [plain, staff] = [await addGroup(replica, [person.id]), await addGroup(replica, [administrator.id])]
  const refusal = {
    code: 'access_denied',
    description: outOfReach('a member of the group is an administrator'),
  }
  await expect(change(staff.groupId, { name: newName() }, replica, support)).rejects.toMatchObject(refusal)
  await expect(remove(staff.groupId, replica, support)).rejects.toMatchObject(refusal)
  await change(plain.groupId, { name: newName() }, replica, support)
  await remove(plain.groupId, replica, support)
  await remove(staff.groupId)
})

describe('the list of groups', () => {
  beforeAll(async () => {
    await shared.query('delete from identity.groups')
    for (const name of ['Beta', 'alpha', 'Gamma', 'alphabet', 'not alpha', '100%']) await create(name)
  })
  const list = (request: object = {}) =>
    listAdministered(
      definition,
      { limit: 50, filters: {}, ...request },
      shared.replica().groups.groups.in(undefined),
    )
  const namesOf = async (request?: object) => (await list(request)).items.map(({ name }) => name)

  test('is by name, ignoring case, in pages', async () => {
    const all = ['100%', 'alpha', 'alphabet', 'Beta', 'Gamma', 'not alpha']
    expect(await namesOf()).toEqual(all)
    expect(await namesOf({ sort: '-name' })).toEqual(all.toReversed())
    expect(await namesOf({ sort: 'created_at' })).toEqual([
      'Beta',
      'alpha',
      'Gamma',
      'alphabet',
      'not alpha',
      '100%',
    ])
    const first = await list({ limit: 4 })
    expect(first.total).toBe(6)
    expect(await namesOf({ limit: 4, cursor: first.nextCursor })).toEqual(['Gamma', 'not alpha'])
    await expect(list({ cursor: first.nextCursor, sort: '-name' })).rejects.toMatchObject({
      code: 'invalid_request',
    })
  })

  test('is searched by a part of the name, those that begin with it first', async () => {
    expect(await namesOf({ search: 'ALPHA' })).toEqual(['alpha', 'alphabet', 'not alpha'])
    expect(await namesOf({ search: 'al' })).toEqual(['alpha', 'alphabet'])
    expect(await namesOf({ search: '0%' })).toEqual([])
    expect(await namesOf({ search: '00%' })).toEqual(['100%'])
  })
})

test('there may be 10,000 groups', async () => {
  await shared.query(
    "insert into identity.groups (group_id, name) select gen_random_uuid(), 'many ' || n from generate_series(1, 10000) n",
  )
  const description = 'There are 10,000 groups already, the most there may be.'
  await expect(create(newName())).rejects.toMatchObject({ code: 'invalid_request', description })
  await shared.query("delete from identity.groups where name like 'many %'")
  await create(newName())
})

test('a new name and other changes of one group wait for each other', async () => {
  const [renaming, describing] = [shared.another(), shared.another()]
  const { groupId } = await create(newName())
  for (let round = 0; round < 20; round += 1)
    await Promise.all([
      change(groupId, { name: newName() }, renaming),
      change(groupId, { description: newName() }, describing),
    ])
  expect(await get(groupId)).toMatchObject({ revision: 41n })
})
