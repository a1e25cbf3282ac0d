import { administered, bySession, rootActor } from '@gatehouse/gateway/testing/administrator'
import { Refusal } from '@gatehouse/kit/errors'
import { AssignmentOutcome, type ChangeRolesRequest } from '@gatehouse/proto/identity/v1'
import { beforeEach, expect, test } from 'vitest'
import { created } from './admin-api-case.ts'

const [groupId, userId, resourceId, gone] = [
  '0190f0a0-0000-7000-8000-0000000000c1',
  '0190f0a0-0000-7000-8000-0000000000b1',
  '0190f0a0-0000-7000-8000-000000000001',
  '0190f0a0-0000-7000-8000-000000000002',
]
const resource = 'https://mcp.example'
const role = { description: '', scopes: ['mcp:tools'], organizationsMayGive: false }
const resourceServer = {
  ...{
    resourceId,
    identifier: resource,
    name: 'Tools',
    scopes: [],
    openRegistration: false,
    disabled: false,
  },
  ...{ revision: 1n, scopesByRole: true, tokenClaims: [], roles: [{ ...role, name: 'editor' }] },
}
const done = { outcome: AssignmentOutcome.ASSIGNMENT_OUTCOME_DONE }
const notFound = new Refusal('not_found', 'There is no such resource server.')

let heldRoles: object[] = []
let holders: object[] = []
let deletes: () => Promise<object>
let forgets: () => Promise<object>
const shared = administered({
  clientRegistry: {
    getResourceServer: async (request: { resourceId: string }) => {
      if (request.resourceId !== resourceId) throw notFound
      return { resourceServer }
    },
    deleteResourceServer: () => deletes(),
  },
  identity: {
    getUser: async () => ({ user: undefined }),
    getGroup: async () => ({ group: undefined }),
    listHeldRoles: async () => ({ roles: heldRoles, nextCursor: undefined }),
    listRoleHolders: async () => ({ holders, nextCursor: undefined }),
    changeRoles: async ({ give, take }: ChangeRolesRequest) => ({
      given: give.map(() => done),
      taken: take.map(() => done),
    }),
    forgetResourceServer: () => forgets(),
  },
} as never)
beforeEach(async () => {
  ;(await shared).calls.length = 0
  deletes = async () => ({})
  forgets = async () => ({})
})

async function ask(method: 'GET' | 'PATCH' | 'DELETE', path: string, body?: object) {
  const { send, asked } = await shared
  const { status, text } = await send(method, path, body, bySession)
  return { status, body: text === '' ? undefined : JSON.parse(text), asked }
}

const heldBy = (value: string) => ({ $case: value === userId ? 'userId' : 'groupId', value })

test('the roles of a user have the names of resource servers, and say whether they give anything', async () => {
  const held = { resourceId, resource, role: 'editor', givenAt: created }
  const other = { ...held, resourceId: gone, resource: 'https://gone.example' }
  heldRoles = [held, { ...held, role: 'former' }, { ...other, groupId, groupName: 'Developers' }]
  const path = `/admin/api/users/${userId}/roles?effective=true`
  const { status, body, asked } = await ask('GET', path)
  const shown = { resource_id: resourceId, resource, resource_name: 'Tools', given_at: created.toISOString() }
  expect([status, body]).toEqual([
    200,
    {
      items: [
        { ...shown, role: 'editor', in_effect: true },
        { ...shown, role: 'former', in_effect: false },
        {
          ...{ resource_id: gone, resource: 'https://gone.example', given_at: created.toISOString() },
          ...{ role: 'editor', in_effect: false, group_id: groupId, group_name: 'Developers' },
        },
      ],
    },
  ])
  expect(asked('listHeldRoles')).toEqual([{ limit: 50, effective: true, holder: heldBy(userId) }])
  expect(asked('getResourceServer')).toHaveLength(2)
})

test('the roles of a group are listed alike', async () => {
  heldRoles = []
  const { body, asked } = await ask('GET', `/admin/api/groups/${groupId}/roles`)
  expect(body).toEqual({ items: [] })
  expect(asked('listHeldRoles')).toEqual([{ limit: 50, effective: false, holder: heldBy(groupId) }])
})

test.each([
  ['users', userId],
  ['groups', groupId],
])('a role that the resource server lacks is not given to %s, and taken all the same', async (kind, id) => {
  const named = (role: string, resource_id = resourceId) => ({ resource_id, role })
  const give = [
    named('former'),
    named('editor', resourceId.toUpperCase()),
    named('editor', gone),
    named('editor', 'x'),
  ]
  const { status, body, asked } = await ask('PATCH', `/admin/api/${kind}/${id}/roles`, {
    give,
    take: [named('former')],
  })
  const unknown = { outcome: 'refused', reason: 'There is no such resource server.' }
  expect([status, body]).toEqual([
    200,
    {
      given: [
        { ...give[0], outcome: 'refused', reason: 'The resource server has no such role.' },
        { ...give[1], outcome: 'done' },
        { ...give[2], ...unknown },
        { ...give[3], ...unknown },
      ],
      taken: [{ ...named('former'), outcome: 'done' }],
    },
  ])
  const holder = heldBy(id)
  expect(asked('changeRoles')).toEqual([
    {
      give: [{ resourceId, resource, role: 'editor', holder }],
      take: [{ resourceId, resource: '', role: 'former', holder }],
      actor: rootActor,
    },
  ])
})

test('a role is given to users and groups at once, each of which has a result', async () => {
  const give = [{ user_id: userId }, {}, { group_id: groupId }, { user_id: userId, group_id: groupId }]
  const path = `/admin/api/resources/${resourceId}/roles/editor/holders`
  const { body, asked } = await ask('PATCH', path, { give })
  const refusal = { outcome: 'refused', reason: 'It must have either user_id or group_id.' }
  expect(body).toEqual({
    given: [
      { user_id: userId, outcome: 'done' },
      refusal,
      { group_id: groupId, outcome: 'done' },
      { user_id: userId, group_id: groupId, ...refusal },
    ],
    taken: [],
  })
  const assignment = { resourceId, resource, role: 'editor' }
  expect(asked('changeRoles')).toMatchObject([
    { give: [userId, groupId].map((id) => ({ ...assignment, holder: heldBy(id) })), take: [] },
  ])
})

test('a role that the resource server lacks is found as long as somebody has it, to be taken from them', async () => {
  const at = (role: string) => `/admin/api/resources/${resourceId}/roles/${role}/holders`
  const status = async (method: 'GET' | 'PATCH', role: string) => {
    const body = method === 'PATCH' ? { take: [{ user_id: userId }] } : undefined
    return (await ask(method, at(role), body)).status
  }
  holders = []
  expect([await status('GET', 'editor'), await status('PATCH', 'editor')]).toEqual([200, 200])
  expect([await status('GET', 'former'), await status('PATCH', 'former')]).toEqual([404, 404])
  holders = [{ holder: heldBy(userId), name: 'ann', givenAt: created }]
  expect([await status('GET', 'former'), await status('PATCH', 'former')]).toEqual([200, 200])
})

test('a resource server that is deleted takes the assignments along, also when an earlier try was cut off', async () => {
  const path = `/admin/api/resources/${resourceId}`
  const { status, asked } = await ask('DELETE', path)
  expect(status).toBe(204)
  expect(asked('forgetResourceServer')).toEqual([{ resourceId, keptRoles: [] }])
  deletes = () => Promise.reject(notFound)
  const again = await ask('DELETE', path)
  expect(again.status).toBe(404)
  expect(again.asked('forgetResourceServer')).toHaveLength(2)
})

test('an identity service of the last release has no assignments to delete', async () => {
  const cause = Object.assign(new Error('unknown method'), { code: 12 })
  forgets = () => Promise.reject(new Refusal('temporarily_unavailable', undefined, { cause }))
  expect((await ask('DELETE', `/admin/api/resources/${resourceId}`)).status).toBe(204)
  forgets = () => Promise.reject(new Refusal('temporarily_unavailable'))
  expect((await ask('DELETE', `/admin/api/resources/${resourceId}`)).status).toBe(503)
})
