import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { deleteGroup, updateGroup } from '../../src/groups/group-change.ts'
import { type AuthorityQuestion, getAuthorities } from '../../src/roles/authority.ts'
import { updateUser } from '../../src/users/user-change.ts'
import { addGroup, give, group, leave, newResource, rolesFor, take, user } from '../groups/groups.ts'
import { addOrganization, removeMembers, setDisabled, setMembers } from '../organizations/organizations.ts'
import { actor, type Replica, useReplicas } from '../store/replica.ts'

const shared = useReplicas()
const ask = (...questions: AuthorityQuestion[]) =>
  getAuthorities(questions, shared.replica().roles.authorities)
const revisionNow = async () => {
  const [row] = await shared.query('select revision from identity.authority_revision')
  return BigInt(String(row?.revision))
}

test('roles are those of the user and of their groups, once each and sorted; groups are sorted', async () => {
  const replica = shared.replica()
  const { id } = await shared.addUser()
  const mark = randomUUID()
  const zebra = await addGroup(replica, [id], `zebra ${mark}`)
  const apes = await addGroup(replica, [id], `Apes ${mark}`)
  const other = await addGroup(replica, [(await shared.addUser()).id])
  const [one, two, three] = [newResource(), newResource(), newResource()]
  await give(replica, rolesFor(one, 'writer', user(id), group(apes.groupId)))
  await give(replica, rolesFor(one, 'admin', group(zebra.groupId)))
  await give(replica, rolesFor(two, 'reader', group(zebra.groupId), group(other.groupId)))
  await give(replica, rolesFor(one, 'nobody', group(other.groupId)))
  await give(replica, rolesFor(three, 'unasked', user(id)))
  const resourceIds = [one.resourceId, two.resourceId, randomUUID(), 'none']
  const roles = [
    { resourceId: one.resourceId, roles: ['admin', 'writer'] },
    { resourceId: two.resourceId, roles: ['reader'] },
  ].sort((left, right) => (left.resourceId < right.resourceId ? -1 : 1))
  const names = [apes.name, zebra.name]
  const revision = await revisionNow()
  const answers = await ask(
    { userId: id, resourceIds, groups: true },
    { userId: randomUUID(), resourceIds, groups: true },
    { userId: id, resourceIds: [], groups: false },
    { userId: 'none', resourceIds, groups: true },
    { userId: id, resourceIds, groups: false },
    { userId: id, resourceIds, groups: true, organizationId: 'org_a' },
  )
  const nobody = { active: false, revision: 0n, roles: [], groups: [] }
  expect(answers).toEqual([
    { active: true, revision, roles, groups: names },
    nobody,
    { active: true, revision, roles: [], groups: [] },
    nobody,
    { active: true, revision, roles, groups: [] },
    nobody,
  ])
  expect(await ask()).toEqual([])
})

test('a disabled user has none', async () => {
  const { id } = await shared.addUser()
  const resource = newResource()
  await give(shared.replica(), rolesFor(resource, 'reader', user(id)))
  await updateUser({ userId: id, disabled: true }, actor, shared.replica().admin.changes)
  const [answer] = await ask({ userId: id, resourceIds: [resource.resourceId], groups: true })
  expect(answer).toMatchObject({ active: false, roles: [] })
})

test('those of an organization count in it alone', async () => {
  const replica = shared.replica()
  const { id } = await shared.addUser()
  const [one, two] = [
    await addOrganization(replica, { [id]: 'owner' }),
    await addOrganization(replica, { [id]: 'member' }),
  ]
  const resource = newResource()
  for (const [index, organizationId] of [undefined, one.organizationId, two.organizationId].entries()) {
    const { groupId } = await addGroup(replica, [id], `group ${index} ${id}`, { organizationId })
    const holders = [user(id), group(groupId)]
    for (const [number, holder] of holders.entries())
      await give(replica, rolesFor(resource, `role ${index} ${number}`, holder), actor, { organizationId })
  }
  const question = { userId: id, resourceIds: [resource.resourceId], groups: true }
  const answers = await ask(
    question,
    { ...question, organizationId: one.organizationId },
    { ...question, organizationId: two.organizationId },
  )
  expect(answers.map(({ groups, roles }) => [groups, roles[0]?.roles])).toEqual(
    [0, 1, 2].map((index) => [[`group ${index} ${id}`], [`role ${index} 0`, `role ${index} 1`]]),
  )
})

test('those of an organization are for its members alone, and only while it is active', async () => {
  const replica = shared.replica()
  const [{ id }, stranger] = [await shared.addUser(), await shared.addUser()]
  const { organizationId } = await addOrganization(replica, { [id]: 'member' })
  const { name } = await addGroup(replica, [id], randomUUID(), { organizationId })
  const question = { userId: id, resourceIds: [], groups: true, organizationId }
  const strange = { ...question, userId: stranger.id }
  const unknown = [`org_${randomUUID()}`, 'acme', ''].map((named) => ({ ...question, organizationId: named }))
  expect((await ask(question, strange, ...unknown)).map(({ active, groups }) => [active, groups])).toEqual([
    [true, [name]],
    ...[strange, ...unknown].map(() => [false, []]),
  ])
  await setDisabled(replica, organizationId, true)
  expect(await ask(question)).toMatchObject([{ active: false, groups: [] }])
  await setDisabled(replica, organizationId, false)
  await removeMembers(replica, organizationId, [id])
  expect(await ask(question)).toMatchObject([{ active: false, groups: [] }])
  // Joining anew brings neither groups nor roles back.
  await setMembers(replica, organizationId, { [id]: 'member' })
  expect(await ask(question)).toMatchObject([{ active: true, groups: [] }])
})

test('the revision rises with what is taken, and with nothing else', async () => {
  const replica = shared.replica()
  const { id } = await shared.addUser()
  const before = await revisionNow()
  const { groupId } = await addGroup(replica, [id])
  const assignments = rolesFor(newResource(), 'reader', user(id), group(groupId))
  await give(replica, assignments)
  await updateGroup({ groupId, revision: 0n, description: 'New' }, actor, replica.groups)
  await leave(replica, groupId, [(await shared.addUser()).id])
  expect(await revisionNow()).toBe(before)
  await take(replica, assignments)
  expect(await revisionNow()).toBe(before + 1n)
  await take(replica, assignments)
  expect(await revisionNow()).toBe(before + 1n)
  await updateGroup({ groupId, revision: 0n, name: randomUUID() }, actor, replica.groups)
  await leave(replica, groupId, [id])
  expect(await revisionNow()).toBe(before + 3n)
  await deleteGroup(groupId, actor, replica.groups)
  expect(await revisionNow()).toBe(before + 3n)
})

test('whoever reads a revision sees all that was taken up to it, however many administrators act at once', async () => {
  const replicas = [shared.another(), shared.another()]
  const resource = newResource()
  const ids = (await Promise.all(Array.from({ length: 60 }, () => shared.addUser()))).map(({ id }) => id)
  const assignments = rolesFor(resource, 'reader', ...ids.map(user))
  await give(shared.replica(), assignments)
  const questions = ids.map((userId) => ({ userId, resourceIds: [resource.resourceId], groups: false }))
  const seen: Awaited<ReturnType<typeof ask>>[] = []
  let acting = true
  const reading = (async () => {
    while (acting) seen.push(await ask(...questions))
  })()
  const takeSome = async (replica: Replica, index: number) => {
    for (const [number, assignment] of assignments.entries())
      if (number % replicas.length === index) await take(replica, [assignment])
  }
  await Promise.all(replicas.map(takeSome))
  acting = false
  await reading
  const revisionOf = new Map(
    replicas.flatMap(({ revoked }) =>
      revoked.map(({ target }) => {
        const [revision = '', , userId = ''] = target.split(':')
        return [userId, BigInt(revision)] as const
      }),
    ),
  )
  expect(new Set(revisionOf.values()).size).toBe(ids.length)
  const early = seen.flatMap((answers) =>
    answers.flatMap(({ revision, roles }, index) => {
      const taken = revisionOf.get(ids[index] ?? '') ?? 0n
      return taken <= revision && roles.length > 0 ? [{ revision, taken }] : []
    }),
  )
  expect(early).toEqual([])
  expect(new Set(seen.map(([first]) => first?.revision)).size).toBeGreaterThan(5)
})
