import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { changeMembers } from '../../src/organizations/members.ts'
import { findMemberships, listUserOrganizations } from '../../src/organizations/membership.ts'
import { updateOrganization } from '../../src/organizations/organization-change.ts'
import { updateUser } from '../../src/users/user-change.ts'
import { connectionsOver } from '../logins/connections.ts'
import { actor, useReplicas } from '../store/replica.ts'
import { addOrganization, removeMembers, setDisabled, setMembers } from './organizations.ts'

const shared = useReplicas()
const find = (...questions: { userId: string; organization?: string }[]) =>
  findMemberships(questions, shared.replica().organizations.memberships)

test('memberships are found by id, by slug, or all by name, each in its place', async () => {
  const replica = shared.replica()
  const [one, two] = [await shared.addUser(), await shared.addUser()]
  const brand = { logoUri: 'https://b.example/', color: '#000000', secondFactorRequired: true }
  const b = await addOrganization(replica, { [one.id]: 'owner', [two.id]: 'member' }, { name: 'b', ...brand })
  const a = await addOrganization(replica, { [one.id]: 'admin' }, { name: 'A' })
  const set = [{ userId: one.id, role: 'admin' as const, attributes: { desk: '7' } }]
  const ofA = { organizationId: a.organizationId, set, remove: [] }
  await changeMembers(ofA, actor, replica.organizations, undefined)
  const inB = { organizationId: b.organizationId, slug: b.slug, name: 'b', ssoRequired: false, ...brand }
  const inA = {
    ...{ organizationId: a.organizationId, slug: a.slug, name: 'A', role: 'admin' },
    ...{ logoUri: undefined, color: undefined, secondFactorRequired: false, ssoRequired: false },
  }
  expect(
    await find(
      { userId: two.id },
      { userId: one.id },
      { userId: one.id, organization: a.slug },
      { userId: one.id, organization: b.organizationId },
      { userId: two.id, organization: a.organizationId },
      { userId: 'no uuid' },
      { userId: randomUUID() },
      { userId: one.id, organization: 'a\0' },
      { userId: one.id, organization: '' },
    ),
  ).toEqual([
    [{ ...inB, role: 'member' }],
    [inA, { ...inB, role: 'owner' }],
    [{ ...inA, attributes: { desk: '7' } }],
    [{ ...inB, role: 'owner', attributes: {} }],
    ...[[], [], [], [], []],
  ])
})

test('memberships of disabled users and in disabled organizations do not count', async () => {
  const replica = shared.replica()
  const [one, two] = [await shared.addUser(), await shared.addUser()]
  const members = { [one.id]: 'owner', [two.id]: 'owner' } as const
  const { organizationId } = await addOrganization(replica, members)
  await updateUser({ userId: two.id, disabled: true }, actor, replica.admin.changes)
  const both = [{ userId: one.id, organization: organizationId }, { userId: two.id }] as const
  expect(await find(...both)).toEqual([[expect.anything()], []])
  await setDisabled(replica, organizationId, true)
  expect(await find(...both)).toEqual([[], []])
  const listed = await listUserOrganizations({ userId: one.id, limit: 5 }, replica.organizations)
  expect(listed.items).toMatchObject([{ organization: { organizationId }, role: 'owner' }])
})

test('the list of a user’s organizations is by name, in pages', async () => {
  const replica = shared.replica()
  const { id } = await shared.addUser()
  for (const name of ['Ops', 'dev', 'QA']) {
    const { organizationId } = await addOrganization(replica, { [id]: 'member' }, { name })
    const set = [{ userId: id, role: 'member', attributes: { team: name } } as const]
    await changeMembers({ organizationId, set, remove: [] }, actor, replica.organizations)
  }
  const namesOf = async (page: object) => {
    const { items, nextCursor } = await listUserOrganizations(
      { userId: id, limit: 2, ...page },
      replica.organizations,
    )
    for (const { organization, attributes } of items) expect(attributes).toEqual({ team: organization.name })
    return { names: items.map(({ organization }) => organization.name), cursor: nextCursor }
  }
  const first = await namesOf({})
  expect(first.names).toEqual(['dev', 'Ops'])
  expect(await namesOf({ cursor: first.cursor })).toEqual({ names: ['QA'], cursor: undefined })
  await expect(namesOf({ userId: randomUUID() })).rejects.toMatchObject({ code: 'not_found' })
})

test('a member is found as long as they are one, also while the organization changes', async () => {
  const replicas = [shared.another(), shared.another()] as const
  const [owner, member] = [await shared.addUser(), await shared.addUser()]
  for (let round = 0; round < 5; round += 1) {
    const { organizationId } = await addOrganization(replicas[0], { [owner.id]: 'owner' })
    await Promise.all([
      setMembers(replicas[0], organizationId, { [member.id]: 'member' }),
      setDisabled(replicas[1], organizationId, true),
    ])
    const question = { userId: member.id, organization: organizationId }
    expect(await find(question)).toEqual([[]])
    await setDisabled(replicas[1], organizationId, false)
    expect(await find(question)).toEqual([[expect.objectContaining({ role: 'member' })]])
    await removeMembers(replicas[0], organizationId, [member.id])
    expect(await find(question)).toEqual([[]])
  }
})

test('single sign-on is required of all but owners, while there is a connection and a proven domain', async () => {
  const replica = shared.replica()
  const { addConnection } = connectionsOver(shared)
  const roles = ['owner', 'admin', 'member'] as const
  const users = await Promise.all(roles.map(() => shared.addUser()))
  const members = Object.fromEntries(users.map(({ id }, index) => [id, roles[index] ?? 'member']))
  const { organizationId } = await addOrganization(replica, members, { ssoRequired: true })
  const required = async () => {
    const found = await find(...users.map(({ id: userId }) => ({ userId, organization: organizationId })))
    return found.map(([membership]) => membership?.ssoRequired)
  }
  const set = (sql: string) =>
    shared.query(`update identity.${sql} where organization_id = $1`, [organizationId])
  const [nobody, others] = [
    [false, false, false],
    [false, true, true],
  ]
  expect(await required()).toEqual(nobody)
  await addConnection(organizationId)
  expect(await required()).toEqual(nobody)
  await shared.query(
    `insert into identity.organization_domains (organization_id, domain, challenge) values ($1, 'sso.example', 'x')`,
    [organizationId],
  )
  expect(await required()).toEqual(nobody)
  await set('organization_domains set proven_at = now()')
  expect(await required()).toEqual(others)
  await set('organization_domains set lost_at = now()')
  expect(await required()).toEqual(nobody)
  await set('organization_domains set lost_at = null')
  await set('connections set disabled_at = now()')
  expect(await required()).toEqual(nobody)
  await set('connections set disabled_at = null')
  expect(await required()).toEqual(others)
  const off = { organizationId, revision: 0n, ssoRequired: false }
  await updateOrganization(off, actor, replica.organizations)
  expect(await required()).toEqual(nobody)
})
