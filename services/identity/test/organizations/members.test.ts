import { randomUUID } from 'node:crypto'
import { authorityOfUser } from '@gatehouse/proto/authority'
import { describe, expect, test } from 'vitest'
import { changeMembers, listMembers } from '../../src/organizations/members.ts'
import { updateUser } from '../../src/users/user-change.ts'
import { done, outOfReach, refusedFor, support, unchanged } from '../groups/groups.ts'
import { actor, useReplicas, written } from '../store/replica.ts'
import { addOrganization, endedIn, removeMembers, setDisabled, setMembers } from './organizations.ts'

const shared = useReplicas()
const people = (count: number) => Promise.all(Array.from({ length: count }, () => shared.addUser()))
const list = (organizationId: string, wanted: object = {}) =>
  listMembers({ organizationId, limit: 50, ...wanted }, shared.replica().organizations)
const rolesIn = async (organizationId: string) =>
  Object.fromEntries((await list(organizationId)).items.map(({ userId, role }) => [userId, role]))
const noUser = refusedFor('There is no such user.')
const noMember = refusedFor('There is no such member.')
const lastOwner = refusedFor(
  'This is the last active owner of the organization, who stays. Make another member an owner first.',
)
const ownersAlone = refusedFor('Only owners of the organization may do this.')

test('one member is found by their id, however many others the search finds, and no stranger is', async () => {
  const [one, two, stranger] = (await people(3)).map(({ id }) => id) as [string, string, string]
  const { organizationId } = await addOrganization(shared.replica(), { [one]: 'owner', [two]: 'member' })
  for (const userId of [one, two])
    expect(await list(organizationId, { userId, limit: 1 })).toMatchObject({ items: [{ userId }], total: 2 })
  for (const userId of [stranger, 'no uuid', ''])
    expect(await list(organizationId, { userId, limit: 1 })).toMatchObject({ items: [], total: 2 })
})

describe('an administrator who changes members', () => {
  test('has a result for each: one bad item fails alone', async () => {
    const replica = shared.another()
    const [one, two] = await people(2)
    const { organizationId, slug } = await addOrganization(replica, { [one?.id ?? '']: 'owner' })
    const change = {
      organizationId,
      set: [
        { userId: two?.id ?? '', role: 'member' as const, attributes: { department: 'Sales' } },
        { userId: one?.id ?? '', role: 'owner' as const },
        { userId: randomUUID(), role: 'member' as const },
        { userId: 'no uuid', role: 'member' as const },
        { userId: one?.id ?? '', role: 'owner' as const, attributes: { department: 5 } },
      ],
      remove: [randomUUID(), 'no uuid'],
    }
    const invalid = refusedFor('attributes must have valid texts: department must be a text.')
    expect(await changeMembers(change, actor, replica.organizations)).toEqual({
      set: [done, unchanged, noUser, noUser, invalid],
      removed: [noUser, noUser],
    })
    expect(await list(organizationId)).toMatchObject({
      items: expect.arrayContaining([
        expect.objectContaining({ userId: two?.id, attributes: { department: 'Sales' }, role: 'member' }),
      ]),
      total: 2,
    })
    expect(replica.revoked).toEqual([])
    const members = [{ user_id: two?.id, role: 'member', attributes: ['department'] }]
    expect((await shared.auditOf(organizationId)).at(-1)).toEqual(
      written('organization.members.set', null, { slug, members }),
    )
  })

  test('leaves the attributes as they are unless they are sent', async () => {
    const replica = shared.replica()
    const [one] = await people(1)
    const userId = one?.id ?? ''
    const { organizationId } = await addOrganization(replica, { [userId]: 'member' })
    const set = (role: 'member' | 'admin', attributes?: object) =>
      changeMembers(
        { organizationId, set: [{ userId, role, attributes: attributes as never }], remove: [] },
        actor,
        replica.organizations,
      )
    await set('member', { b: '1', a: '2' })
    expect((await set('member', { a: '2', b: '1' })).set).toEqual([unchanged])
    await set('admin')
    expect((await list(organizationId)).items[0]).toMatchObject({
      role: 'admin',
      attributes: { a: '2', b: '1' },
    })
    await set('admin', {})
    expect((await list(organizationId)).items[0]?.attributes).toEqual({})
  })

  test('who removes one ends what they granted in it, before they are answered', async () => {
    const replica = shared.another()
    const [one, two] = await people(2)
    const userId = two?.id ?? ''
    const members = { [one?.id ?? '']: 'owner', [userId]: 'member' } as const
    const { organizationId, slug } = await addOrganization(replica, members)
    expect(await removeMembers(replica, organizationId, [userId, userId])).toEqual([done, unchanged])
    expect(endedIn(replica)).toEqual([
      expect.stringMatching(new RegExp(`^authority \\d+:${authorityOfUser(userId)}$`)),
      `membership ${userId}:${organizationId}`,
    ])
    expect((await shared.auditOf(organizationId)).at(-1)).toEqual(
      written('organization.members.remove', { slug, user_ids: [userId] }, null),
    )
    // Joining anew revives nothing: the revocation goes by its time.
    expect(replica.revoked.every(({ issuedBefore }) => issuedBefore !== undefined)).toBe(true)
  })

  test('removes before adding in the same request', async () => {
    const replica = shared.another()
    const [one, two] = await people(2)
    const userId = two?.id ?? ''
    const members = { [one?.id ?? '']: 'owner', [userId]: 'admin' } as const
    const { organizationId } = await addOrganization(replica, members)
    const change = { organizationId, set: [{ userId, role: 'member' as const }], remove: [userId] }
    expect(await changeMembers(change, actor, replica.organizations)).toEqual({
      set: [done],
      removed: [done],
    })
    expect(endedIn(replica)).toHaveLength(2)
    expect(await rolesIn(organizationId)).toMatchObject({ [userId]: 'member' })
  })

  test('keeps the last owner, and one who is disabled does not count', async () => {
    const replica = shared.replica()
    const [one, two] = await people(2)
    const [owner, other] = [one?.id ?? '', two?.id ?? '']
    const { organizationId } = await addOrganization(replica, { [owner]: 'owner', [other]: 'member' })
    expect(await removeMembers(replica, organizationId, [owner])).toEqual([lastOwner])
    expect(await setMembers(replica, organizationId, { [owner]: 'admin' })).toEqual([lastOwner])
    expect(await setMembers(replica, organizationId, { [other]: 'owner' })).toEqual([done])
    await updateUser({ userId: other, disabled: true }, actor, replica.admin.changes)
    expect(await removeMembers(replica, organizationId, [owner])).toEqual([lastOwner])
    expect(await removeMembers(replica, organizationId, [other])).toEqual([done])
    expect(await rolesIn(organizationId)).toEqual({ [owner]: 'owner' })
  })

  test('may replace the owner in one request', async () => {
    const replica = shared.replica()
    const [one, two] = await people(2)
    const [owner, other] = [one?.id ?? '', two?.id ?? '']
    const { organizationId } = await addOrganization(replica, { [owner]: 'owner' })
    const results = await setMembers(replica, organizationId, { [other]: 'owner', [owner]: 'member' })
    expect(results).toEqual([done, done])
    expect(await rolesIn(organizationId)).toEqual({ [other]: 'owner', [owner]: 'member' })
  })

  test('of a part reaches no administrator', async () => {
    const replica = shared.replica()
    const administrator = await shared.addUser({ adminRole: 'support' })
    const [person] = await people(1)
    const { organizationId } = await addOrganization(replica)
    const refusal = refusedFor(outOfReach('the user is an administrator'))
    const both = { [administrator.id]: 'admin', [person?.id ?? '']: 'owner' } as const
    expect(await setMembers(replica, organizationId, both, { by: support })).toEqual([refusal, done])
    await setMembers(replica, organizationId, both)
    expect(await removeMembers(replica, organizationId, [administrator.id], { by: support })).toEqual([
      refusal,
    ])
  })

  test('takes 500 at once, and no more', async () => {
    const { organizationId } = await addOrganization(shared.replica())
    const ids = Array.from({ length: 501 }, () => randomUUID())
    const tooMany = (field: string) => ({
      ...{ code: 'invalid_request', description: `${field} must have at most 500 items.` },
    })
    await expect(removeMembers(shared.replica(), organizationId, ids)).rejects.toMatchObject(
      tooMany('remove'),
    )
    const set = Object.fromEntries(ids.map((id) => [id, 'member' as const]))
    await expect(setMembers(shared.replica(), organizationId, set)).rejects.toMatchObject(tooMany('set'))
  })

  test('puts a user into 100 organizations at most, also when two add them at once', async () => {
    const [one] = await people(1)
    const userId = one?.id ?? ''
    await shared.query(
      `with made as (
        insert into identity.organizations (organization_id, slug, name)
        select 'org_' || gen_random_uuid(), 'full-' || n, 'Full' from generate_series(1, 99) n returning organization_id
      )
      insert into identity.organization_members (organization_id, user_id, role)
      select organization_id, $1::uuid, 'member' from made`,
      [userId],
    )
    const replicas = [shared.another(), shared.another()]
    const made = await Promise.all(replicas.map((replica) => addOrganization(replica)))
    const results = await Promise.all(
      made.map(({ organizationId }, index) =>
        setMembers(replicas[index] ?? shared.replica(), organizationId, { [userId]: 'member' }),
      ),
    )
    const full = refusedFor('The user is in 100 organizations already, the most there may be.')
    expect(results.flat()).toEqual(expect.arrayContaining([done, full]))
    await shared.query("delete from identity.organizations where name = 'Full'")
  })
})

describe('a member who changes members', () => {
  test('adds nobody, and learns nothing of users who are none', async () => {
    const replica = shared.replica()
    const [one, stranger] = await people(2)
    const actingMember = one?.id ?? ''
    const { organizationId } = await addOrganization(replica, { [actingMember]: 'owner' })
    const named = [stranger?.id ?? '', randomUUID(), 'no uuid']
    const set = Object.fromEntries(named.map((id) => [id, 'member' as const]))
    expect(await setMembers(replica, organizationId, set, { actingMember })).toEqual(
      named.map(() => noMember),
    )
    expect(await removeMembers(replica, organizationId, named, { actingMember })).toEqual(
      named.map(() => noMember),
    )
  })

  test('as an admin changes all but owners', async () => {
    const replica = shared.replica()
    const [one, two, three] = (await people(3)).map(({ id }) => id) as [string, string, string]
    const members = { [one]: 'owner', [two]: 'admin', [three]: 'member' } as const
    const { organizationId } = await addOrganization(replica, members)
    const by = { actingMember: two }
    expect(await setMembers(replica, organizationId, { [three]: 'admin' }, by)).toEqual([done])
    for (const change of [{ [three]: 'owner' }, { [one]: 'member' }, { [two]: 'owner' }] as const)
      expect(await setMembers(replica, organizationId, change, by)).toEqual([ownersAlone])
    expect(await removeMembers(replica, organizationId, [one, three, two], by)).toEqual([
      ownersAlone,
      done,
      done,
    ])
    expect(await rolesIn(organizationId)).toEqual({ [one]: 'owner' })
  })

  test('as an owner who logged in by its connection touches no owner, and so does not leave either', async () => {
    const replica = shared.replica()
    const [one, two, three] = (await people(3)).map(({ id }) => id) as [string, string, string]
    const members = { [one]: 'owner', [two]: 'owner', [three]: 'member' } as const
    const { organizationId } = await addOrganization(replica, members)
    const by = { by: { ...actor, byConnection: true }, actingMember: one }
    const refused = refusedFor('Owners must log in without a connection of the organization to do this.')
    expect(await setMembers(replica, organizationId, { [three]: 'owner' }, by)).toEqual([refused])
    expect(await setMembers(replica, organizationId, { [two]: 'member' }, by)).toEqual([refused])
    expect(await removeMembers(replica, organizationId, [two], by)).toEqual([refused])
    expect(await removeMembers(replica, organizationId, [one], by)).toEqual([refused])
    expect(await setMembers(replica, organizationId, { [three]: 'admin' }, by)).toEqual([done])
    expect(await rolesIn(organizationId)).toEqual({ [one]: 'owner', [two]: 'owner', [three]: 'admin' })
  })

  test('as a member may leave, and nothing else', async () => {
    const replica = shared.replica()
    const [one, two, three] = (await people(3)).map(({ id }) => id) as [string, string, string]
    const members = { [one]: 'owner', [two]: 'member', [three]: 'member' } as const
    const { organizationId } = await addOrganization(replica, members)
    const by = { actingMember: two }
    const denied = {
      code: 'access_denied',
      description: 'Only owners and admins of the organization may do this.',
    }
    await expect(removeMembers(replica, organizationId, [two, three], by)).rejects.toMatchObject(denied)
    await expect(setMembers(replica, organizationId, { [two]: 'admin' }, by)).rejects.toMatchObject(denied)
    expect(await removeMembers(replica, organizationId, [two], by)).toEqual([done])
    await expect(removeMembers(replica, organizationId, [two], by)).rejects.toMatchObject({
      code: 'not_found',
    })
    await setDisabled(replica, organizationId, true)
    const late = removeMembers(replica, organizationId, [three], { actingMember: three })
    await expect(late).rejects.toMatchObject({ code: 'not_found' })
  })
})

test('the list of members is by name, in pages, and searched by a part of the name', async () => {
  const replica = shared.replica()
  const mark = randomUUID().slice(0, 8)
  const users = await Promise.all(
    ['Cleo', 'ann', 'Bob', 'Joanna'].map((name) => shared.addUser({ username: `${name}-${mark}` })),
  )
  const members = Object.fromEntries(users.map(({ id }) => [id, 'member' as const]))
  const { organizationId, slug } = await addOrganization(replica, members)
  await addOrganization(
    replica,
    Object.fromEntries((await people(2)).map(({ id }) => [id, 'owner' as const])),
  )
  const names = async (wanted: object) =>
    (await list(organizationId, wanted)).items.map(({ username }) => username)
  const sorted = ['ann', 'Bob', 'Cleo', 'Joanna'].map((name) => `${name}-${mark}`)
  expect(await names({})).toEqual(sorted)
  const { nextCursor, total } = await list(slug, { limit: 3 })
  expect(total).toBe(4)
  expect((await list(slug, { withoutTotal: true })).total).toBe(0)
  expect(await names({ limit: 3, cursor: nextCursor })).toEqual(sorted.slice(3))
  expect(await names({ search: 'ANN' })).toEqual([`ann-${mark}`, `Joanna-${mark}`])
  await expect(list('nobody-has-this')).rejects.toMatchObject({ code: 'not_found' })
})
