import { AssignmentOutcome, type HeldRole } from '@gatehouse/proto/identity/v1'
import { MemberRole } from '@gatehouse/proto/organization/v1'
import { describe, expect, test } from 'vitest'
import { as, change, group, home, member, visit } from './own-organization.ts'

const userId = '0190f0a0-0000-7000-8000-0000000000bb'
const page = `${home}/members/${userId}`
const holder = { $case: 'userId', value: userId }
const wiki = { resourceId: 'wiki', resource: 'https://wiki.example' }
const result = (outcome: AssignmentOutcome) => ({ outcome })
const done = result(AssignmentOutcome.ASSIGNMENT_OUTCOME_DONE)
const held = (role: string, groupName?: string): HeldRole => ({
  ...{ ...wiki, role, givenAt: new Date(0), groupName, groupId: groupName && 'group-1' },
})

const identity = {
  listUserGroups: async () => ({ groups: [group], nextCursor: undefined }),
  listHeldRoles: async () => ({
    roles: [held('owner of all'), held('editor', 'Staff')],
    nextCursor: undefined,
  }),
  changeGroupMembers: async () => ({ added: [done], removed: [done] }),
  changeRoles: async () => ({ given: [done], taken: [done] }),
}
const services = {
  listMembers: async () => ({
    members: [{ ...member('cleo', MemberRole.MEMBER_ROLE_MEMBER), userId }],
    nextCursor: undefined,
    total: 1n,
  }),
}

describe('the page of a member', () => {
  test('shows their groups and roles, and offers what the organization may give and take', async () => {
    const { get, asked } = await visit(services, { identity })
    const { text } = await get(page)
    expect(text).toContain('Groups and roles of <bdi>The cleo</bdi>')
    expect(text).toContain('by the group <bdi>Staff</bdi>')
    expect(text).toContain('Remove from the group Staff')
    expect(text).not.toContain('Take the role')
    expect(text).toContain('<option value="wiki:editor">')
    expect(text).not.toMatch(/<option value="(group|wiki:owner|off)/)
    const { organizationId } = change
    expect(asked('listUserGroups')).toEqual([{ userId, organizationId, limit: 200 }])
    expect(asked('listHeldRoles')).toEqual([{ holder, organizationId, effective: true, limit: 200 }])
  })

  test('gives and takes groups and roles in the name of whoever runs the organization', async () => {
    const { post, asked } = await visit({ ...services, ...as(MemberRole.MEMBER_ROLE_ADMIN) }, { identity })
    const sent = async (action: string, which: string) =>
      (await post(`${page}/${action}`, { which })).headers.location
    expect(await sent('add-group', 'group-2')).toBe(`${page}?done=group-added`)
    expect(await sent('remove-group', 'group-1')).toBe(`${page}?done=group-removed`)
    expect(await sent('give-role', 'wiki:editor')).toBe(`${page}?done=role-given`)
    expect(await sent('take-role', 'wiki:editor')).toBe(`${page}?done=role-taken`)
    expect(asked('changeGroupMembers')).toEqual([
      { ...change, groupId: 'group-2', add: [userId], remove: [] },
      { ...change, groupId: 'group-1', add: [], remove: [userId] },
    ])
    const role = { ...wiki, role: 'editor', holder }
    expect(asked('changeRoles')).toEqual([
      { ...change, give: [role], take: [] },
      { ...change, give: [], take: [role] },
    ])
  })

  test('gives and takes no role that organizations may not give', async () => {
    const { post, asked } = await visit(services, { identity })
    for (const action of ['give-role', 'take-role'])
      for (const which of ['wiki:owner of all', 'off:ghost', 'wiki:unknown', '']) {
        const { status, text } = await post(`${page}/${action}`, { which })
        expect([status, text]).toEqual([400, expect.stringContaining('Nothing was changed')])
      }
    expect(asked('changeRoles')).toEqual([])
  })

  test('says that a change was refused', async () => {
    const no = result(AssignmentOutcome.ASSIGNMENT_OUTCOME_REFUSED)
    const changeGroupMembers = async () => ({ added: [no], removed: [no] })
    const { post } = await visit(services, { identity: { ...identity, changeGroupMembers } })
    for (const action of ['add-group', 'remove-group'])
      expect((await post(`${page}/${action}`, { which: 'group-1' })).text).toContain('Nothing was changed')
  })

  test('is not there for anybody else, nor for members', async () => {
    const nobody = { listMembers: async () => ({ members: [], nextCursor: undefined, total: 0n }) }
    const { get, post, asked } = await visit(nobody, { identity })
    for (const path of [page, `${home}/members/cleo`]) expect((await get(path)).status).toBe(404)
    expect((await post(`${page}/add-group`, { which: 'group-1' })).status).toBe(404)
    const plain = await visit({ ...services, ...as(MemberRole.MEMBER_ROLE_MEMBER) }, { identity })
    expect((await plain.get(page)).status).toBe(403)
    expect((await plain.post(`${page}/give-role`, { which: 'wiki:editor' })).status).toBe(403)
    expect([...asked('changeGroupMembers'), ...plain.asked('changeRoles')]).toEqual([])
  })
})
