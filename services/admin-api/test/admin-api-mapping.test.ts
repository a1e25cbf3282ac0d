import { administered, bySession } from '@gatehouse/gateway/testing/administrator'
import { errorOf } from '@gatehouse/gateway/testing/gateway'
import { expect, test } from 'vitest'

const resourceId = '0190f0a0-0000-7000-8000-000000000001'
const connectionId = 'con_0190f0a0-0000-7000-8000-0000000000f1'
const resource = 'https://api.example'

/** The admin API where one resource server exists, and no change is made. */
async function changing(mapping: unknown) {
  const { send, asked } = await administered({
    clientRegistry: {
      listResourceServers: async ({ identifier }) => ({
        resourceServers: identifier === resource ? [{ resourceId, identifier } as never] : [],
        nextCursor: undefined,
        total: 1n,
      }),
    },
    connectionService: { updateConnection: async () => ({ connection: undefined }) },
  })
  const answer = await send('PATCH', `/admin/api/connections/${connectionId}`, { mapping }, bySession)
  return { answer, asked }
}

test('a role of a mapping is looked up by the identifier of its resource server', async () => {
  const { asked } = await changing([
    { claim: 'groups', value: 'dev', to: { resource, role: 'editor' } },
    { claim: 'groups', value: 'qa', to: { resource, role: 'viewer' } },
  ])
  expect(asked('listResourceServers')).toHaveLength(1)
  expect(asked('updateConnection')).toMatchObject([
    {
      fields: ['mapping'],
      connection: {
        mapping: [
          { claim: 'groups', value: 'dev', role: { resourceId, resource, role: 'editor' } },
          { claim: 'groups', value: 'qa', role: { resourceId, resource, role: 'viewer' } },
        ],
      },
    },
  ])
})

test.each([
  [
    'an unknown resource server',
    [{ claim: 'a', value: 'b', to: { resource: 'https://x.example', role: 'r' } }],
    'rule 1',
  ],
  [
    'a role without its resource server',
    [
      { claim: 'a', to: { group: 'G' } },
      { claim: 'a', to: { role: 'r' } },
    ],
    'rule 2',
  ],
  ['a resource server without a role', [{ claim: 'a', to: { resource } }], 'rule 1'],
  ['a misspelt target', [{ claim: 'a', to: { grup: 'G' } }], 'grup'],
  ['a misspelt field of a rule', [{ claim: 'a', vaule: 'b', to: { group: 'G' } }], 'vaule'],
  ['a rule without a target', [{ claim: 'a' }], 'to'],
])('%s is refused, and nothing is changed', async (_, mapping, named) => {
  const { answer, asked } = await changing(mapping)
  expect([answer.status, errorOf(answer)]).toEqual([400, 'invalid_request'])
  expect(JSON.parse(answer.text).error_description).toContain(named)
  expect(asked('updateConnection')).toEqual([])
})
