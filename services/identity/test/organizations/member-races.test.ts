import { expect, test } from 'vitest'
import { listMembers } from '../../src/organizations/members.ts'
import { deleteOrganization } from '../../src/organizations/organization-change.ts'
import { deleteUser } from '../../src/users/user-change.ts'
import { done, refusedFor } from '../groups/groups.ts'
import { actor, useReplicas } from '../store/replica.ts'
import { addOrganization, removeMembers, setMembers } from './organizations.ts'

const shared = useReplicas()
const people = (count: number) => Promise.all(Array.from({ length: count }, () => shared.addUser()))
const rolesIn = async (organizationId: string) => {
  const { items } = await listMembers({ organizationId, limit: 50 }, shared.replica().organizations)
  return Object.fromEntries(items.map(({ userId, role }) => [userId, role]))
}
const lastOwner = refusedFor(
  'This is the last active owner of the organization, who stays. Make another member an owner first.',
)

test('two owners who remove or demote each other leave one', async () => {
  for (let round = 0; round < 10; round += 1) {
    const replicas = [shared.another(), shared.another()] as const
    const [one, two] = (await people(2)).map(({ id }) => id) as [string, string]
    const { organizationId } = await addOrganization(replicas[0], { [one]: 'owner', [two]: 'owner' })
    const results = await Promise.allSettled([
      removeMembers(replicas[0], organizationId, [two], { actingMember: one }),
      round % 2 === 0
        ? removeMembers(replicas[1], organizationId, [one], { actingMember: two })
        : setMembers(replicas[1], organizationId, { [one]: 'member' }, { actingMember: two }),
    ])
    const owners = Object.values(await rolesIn(organizationId)).filter((role) => role === 'owner')
    expect(owners).toEqual(['owner'])
    // The second is no longer a member, or no longer an owner.
    const reasons = results.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []))
    expect(reasons).toEqual([expect.stringMatching(/^(not_found|access_denied)$/)])
  }
})

test('two owners who leave leave one, also by themselves', async () => {
  for (let round = 0; round < 10; round += 1) {
    const replicas = [shared.another(), shared.another()] as const
    const [one, two] = (await people(2)).map(({ id }) => id) as [string, string]
    const { organizationId } = await addOrganization(replicas[0], { [one]: 'owner', [two]: 'owner' })
    const results = await Promise.all([
      removeMembers(replicas[0], organizationId, [one], { actingMember: one }),
      removeMembers(replicas[1], organizationId, [two], { actingMember: two }),
    ])
    expect(results.flat()).toEqual(expect.arrayContaining([done, lastOwner]))
  }
})

test('an organization that is deleted while users join and are deleted leaves nothing, and nobody fails', async () => {
  for (let round = 0; round < 5; round += 1) {
    const [joining, deleting] = [shared.another(), shared.another()]
    const ids = (await people(6)).map(({ id }) => id)
    const half = Object.fromEntries(ids.slice(0, 4).map((id) => [id, 'member' as const]))
    const { organizationId } = await addOrganization(deleting, half)
    const outcomes = await Promise.allSettled([
      setMembers(joining, organizationId, Object.fromEntries(ids.map((id) => [id, 'admin' as const]))),
      deleteOrganization(organizationId, actor, deleting.organizations),
      ...ids.slice(1, 3).map((id) => deleteUser(id, actor, joining.admin.changes)),
    ])
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'not_found' })
    const rows = await shared.query('select from identity.organization_members where organization_id = $1', [
      organizationId,
    ])
    expect(rows).toEqual([])
  }
})
