import { randomUUID } from 'node:crypto'
import { authorityAtResource, authorityOfAll, authorityOfUser } from '@gatehouse/proto/authority'
import { beforeAll, describe, expect, test } from 'vitest'
import { getGroup } from '../../src/groups/group.ts'
import { createGroup, deleteGroup, updateGroup } from '../../src/groups/group-change.ts'
import { listMembers, listUserGroups } from '../../src/groups/group-members.ts'
import { deleteOrganization } from '../../src/organizations/organization-change.ts'
import { changeRoles, listHeldRoles, listRoleHolders } from '../../src/roles/role-assignment.ts'
import { addOrganization, removeMembers, setDisabled } from '../organizations/organizations.ts'
import { actor, type Replica, useReplicas, written } from '../store/replica.ts'
import {
  addGroup,
  done,
  endedIn,
  give,
  group,
  join,
  leave,
  newResource,
  refusedFor,
  rolesFor,
  take,
  unchanged,
  user,
} from './groups.ts'

const shared = useReplicas()
const resource = newResource()
let [owner, admin, member, stranger] = ['', '', '', '']
let [organizationId, other] = ['', '']

beforeAll(async () => {
  for (const id of ['a', 'b', 'c', 'd']) {
    const added = (await shared.addUser({ username: `${id}-${randomUUID()}` })).id
    if (id === 'a') owner = added
    if (id === 'b') admin = added
    if (id === 'c') member = added
    if (id === 'd') stranger = added
  }
  const members = { [owner]: 'owner', [admin]: 'admin', [member]: 'member' } as const
  organizationId = (await addOrganization(shared.replica(), members)).organizationId
  other = (await addOrganization(shared.replica(), { [stranger]: 'owner' })).organizationId
})

const here = () => ({ organizationId })
const groupHere = (members: readonly string[] = [], replica = shared.replica()) =>
  addGroup(replica, members, randomUUID(), here())
const outsider = refusedFor('The user is not a member of the organization.')
const noUser = refusedFor('There is no such user.')
const noMember = refusedFor('There is no such member.')
const noGroup = refusedFor('There is no such group.')

test('its groups have names of their own, with its id in the audit log', async () => {
  const name = `Developers ${randomUUID()}`
  const { groups } = shared.replica()
  const settings = { name, description: '' }
  await createGroup(settings, actor, groups)
  const { groupId } = await createGroup(settings, actor, groups, here())
  await createGroup(settings, actor, groups, { organizationId: other })
  const taken = { code: 'invalid_request', description: 'name is that of another group.' }
  await expect(createGroup(settings, actor, groups, here())).rejects.toMatchObject(taken)
  expect(await shared.auditOf(groupId)).toEqual([
    written('group.create', null, { ...settings, organization_id: organizationId }),
  ])
})

test('only its members join its groups', async () => {
  const { groupId, name } = await groupHere()
  const ids = [member, stranger, randomUUID(), 'no uuid']
  expect(await join(shared.replica(), groupId, ids, actor, here())).toEqual([done, outsider, noUser, noUser])
  expect((await shared.auditOf(groupId)).at(-1)).toEqual(
    written('group.members.add', null, { name, user_ids: [member], organization_id: organizationId }),
  )
  expect(await leave(shared.replica(), groupId, ids, actor, here())).toEqual([done, outsider, noUser, noUser])
})

test('its groups and roles are not found elsewhere, and those from elsewhere are not found in it', async () => {
  const replica = shared.replica()
  const [inside, outside] = [await groupHere([member]), await addGroup(replica, [member])]
  const foreign = await addGroup(replica, [], randomUUID(), { organizationId: other })
  const unknown = { code: 'not_found' }
  for (const [{ groupId }, place] of [
    [inside, {}],
    [inside, { organizationId: other }],
    [outside, here()],
    [foreign, here()],
  ] as const) {
    const { groups } = replica
    const { organizationId: id } = place as { organizationId?: string }
    await expect(getGroup(groupId, groups.groups, id)).rejects.toMatchObject(unknown)
    await expect(listMembers({ groupId, limit: 5 }, groups, id)).rejects.toMatchObject(unknown)
    await expect(join(replica, groupId, [member], actor, place)).rejects.toMatchObject(unknown)
    const change = { groupId, revision: 0n, name: 'Mine' }
    await expect(updateGroup(change, actor, groups, place)).rejects.toMatchObject(unknown)
    await expect(deleteGroup(groupId, actor, groups, place)).rejects.toMatchObject(unknown)
    expect(await give(replica, rolesFor(resource, 'reader', group(groupId)), actor, place)).toEqual([noGroup])
    const holder = group(groupId)
    const held = listHeldRoles({ holder, effective: false, limit: 5 }, replica.roles, id)
    await expect(held).rejects.toMatchObject(unknown)
  }
  const { items } = await listUserGroups({ userId: member, limit: 50 }, replica.groups, organizationId)
  expect(items.map(({ groupId }) => groupId)).toContain(inside.groupId)
  expect(items.map(({ groupId }) => groupId)).not.toContain(outside.groupId)
  await expect(
    listUserGroups({ userId: stranger, limit: 5 }, replica.groups, organizationId),
  ).rejects.toMatchObject({ code: 'not_found', description: 'There is no such member.' })
})

test('roles in it are for its members and groups, and end there alone', async () => {
  const replica = shared.another()
  const { groupId } = await groupHere([member], replica)
  const holders = [user(member), group(groupId), user(stranger), user(randomUUID())]
  const assignments = rolesFor(resource, 'writer', ...holders)
  expect(await give(replica, assignments, actor, here())).toEqual([done, done, outsider, noUser])
  expect((await shared.auditOf(resource.resource)).at(-1)).toMatchObject({
    ...{ action: 'role.give' },
    after: { organization_id: organizationId, user_ids: [member], group_ids: [groupId] },
  })
  const wanted = { holder: user(member), effective: true, limit: 5 }
  const held = async (id?: string) => (await listHeldRoles(wanted, replica.roles, id)).items.length
  expect(await held(organizationId)).toBe(2)
  expect(await held()).toBe(0)
  const role = { resourceId: resource.resourceId, role: 'writer', limit: 5 }
  expect((await listRoleHolders(role, replica.roles, organizationId)).items).toHaveLength(2)
  expect((await listRoleHolders(role, replica.roles)).items).toEqual([])
  await expect(listRoleHolders(role, replica.roles, 'org_unknown')).rejects.toMatchObject({
    code: 'not_found',
  })
  const foreign = listHeldRoles({ ...wanted, holder: user(stranger) }, replica.roles, organizationId)
  await expect(foreign).rejects.toMatchObject({ code: 'not_found' })
  expect(await take(replica, assignments.slice(0, 2))).toEqual([unchanged, noGroup])
  expect(await take(replica, assignments.slice(0, 2), actor, here())).toEqual([done, done])
  const { resource: identifier } = resource
  expect(endedIn(replica)).toEqual([authorityAtResource(identifier, organizationId), authorityOfUser(member)])
})

test('whoever leaves it loses groups and roles in it, and keeps those of the instance', async () => {
  const replica = shared.another()
  const { id } = await shared.addUser()
  const left = (await addOrganization(replica, { [id]: 'member' })).organizationId
  for (const place of [{}, { organizationId: left }]) {
    await addGroup(replica, [id], randomUUID(), place)
    await give(replica, rolesFor(resource, 'leaver', user(id)), actor, place)
  }
  await removeMembers(replica, left, [id])
  const rows = await shared.query(
    `select g.organization_id from identity.group_members m join identity.groups g using (group_id) where user_id = $1
    union all select organization_id from identity.role_assignments where user_id = $1`,
    [id],
  )
  expect(rows).toEqual([{ organization_id: null }, { organization_id: null }])
})

test('a new name and the end of a group end tokens of the organization alone', async () => {
  const replica = shared.another()
  const { groupId } = await groupHere([member], replica)
  const change = { groupId, revision: 0n, name: randomUUID() }
  await updateGroup(change, actor, replica.groups, here())
  await deleteGroup(groupId, actor, replica.groups, here())
  expect(endedIn(replica)).toEqual([authorityOfAll(organizationId), authorityOfAll(organizationId)])
})

describe('a member who acts', () => {
  const by = (actingMember: string) => ({ organizationId, actingMember })
  const everything = (replica: Replica, actingMember: string, groupId: string) =>
    [
      () => createGroup({ name: randomUUID(), description: '' }, actor, replica.groups, by(actingMember)),
      () =>
        updateGroup(
          { groupId, revision: 0n, description: randomUUID() },
          actor,
          replica.groups,
          by(actingMember),
        ),
      () => join(replica, groupId, [member], actor, by(actingMember)),
      () => give(replica, rolesFor(resource, 'reader', user(member)), actor, by(actingMember)),
      () => deleteGroup(groupId, actor, replica.groups, by(actingMember)),
    ] as const

  test('runs groups and roles as an owner or an admin, and learns nothing of other users', async () => {
    const replica = shared.replica()
    for (const acting of [owner, admin]) {
      const { groupId } = await groupHere()
      for (const act of everything(replica, acting, groupId)) await act()
    }
    const { groupId } = await groupHere()
    const ids = [stranger, randomUUID()]
    expect(await join(replica, groupId, ids, actor, by(owner))).toEqual([noMember, noMember])
    const assignments = rolesFor(resource, 'reader', ...ids.map(user))
    expect(await give(replica, assignments, actor, by(owner))).toEqual([noMember, noMember])
  })

  test('otherwise changes nothing: not found for strangers, denied to plain members', async () => {
    const replica = shared.replica()
    const { groupId, name } = await groupHere()
    const disabled = (await addOrganization(replica, { [owner]: 'owner' })).organizationId
    await setDisabled(replica, disabled, true)
    for (const [acting, code] of [
      [stranger, 'not_found'],
      [randomUUID(), 'not_found'],
      ['no uuid', 'not_found'],
      [member, 'access_denied'],
    ] as const)
      for (const act of everything(replica, acting, groupId))
        await expect(act()).rejects.toMatchObject({ code })
    const settings = { name: randomUUID(), description: '' }
    for (const place of [{ organizationId: disabled, actingMember: owner }, { actingMember: owner }])
      await expect(createGroup(settings, actor, replica.groups, place)).rejects.toMatchObject({
        code: 'not_found',
      })
    expect(await getGroup(groupId, replica.groups.groups, organizationId)).toMatchObject({
      name,
      revision: 1n,
    })
  })
})

describe('at once', () => {
  test('nobody who leaves keeps a group or a role that they get meanwhile', async () => {
    const replicas = [shared.another(), shared.another(), shared.another()] as const
    for (let round = 0; round < 10; round += 1) {
      const { id } = await shared.addUser()
      const place = {
        organizationId: (await addOrganization(replicas[0], { [id]: 'member' })).organizationId,
      }
      const { groupId } = await addGroup(replicas[0], [], randomUUID(), place)
      await Promise.all([
        join(replicas[0], groupId, [id], actor, place),
        changeRoles(
          { give: rolesFor(resource, 'late', user(id)), take: [] },
          actor,
          replicas[1].roles,
          place,
        ),
        removeMembers(replicas[2], place.organizationId, [id]),
      ])
      const rows = await shared.query(
        `select 1 from identity.group_members where user_id = $1
        union all select 1 from identity.role_assignments where user_id = $1`,
        [id],
      )
      expect(rows).toEqual([])
    }
  })

  test('an organization that is deleted while its groups change leaves none, and nobody fails', async () => {
    const replicas = [shared.another(), shared.another()] as const
    for (let round = 0; round < 5; round += 1) {
      const { id } = await shared.addUser()
      const place = {
        organizationId: (await addOrganization(replicas[0], { [id]: 'member' })).organizationId,
      }
      const { groupId } = await addGroup(replicas[0], [id], randomUUID(), place)
      const outcomes = await Promise.allSettled([
        deleteOrganization(place.organizationId, actor, replicas[1].organizations),
        join(replicas[0], groupId, [id], actor, place),
        give(replicas[0], rolesFor(resource, 'late', user(id), group(groupId)), actor, place),
        addGroup(replicas[0], [], randomUUID(), place),
        updateGroup({ groupId, revision: 0n, name: randomUUID() }, actor, replicas[0].groups, place),
      ])
      for (const outcome of outcomes)
        if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'not_found' })
      const rows = await shared.query('select 1 from identity.groups where organization_id = $1', [
        place.organizationId,
      ])
      expect(rows).toEqual([])
    }
  })
})
