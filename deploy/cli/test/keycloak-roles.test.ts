import { expect, test } from 'vitest'
import type { Result } from '../src/import/prepared.ts'
import { flatGroups } from '../src/import/roles/flat-groups.ts'
import { flatRoles } from '../src/import/roles/flat-roles.ts'
import { sendInRuns } from '../src/import/roles/one-by-one.ts'
import { nothingOf } from '../src/import/roles/realm-authority.ts'
import { serversOf } from '../src/import/roles/servers.ts'

const ofRealm = (role: string) => ({ client: undefined, role })
const ofOrders = (role: string) => ({ client: 'orders', role })

test('groups are flattened: the path is the name, and a group has the roles of those that it was in', () => {
  const emea = { name: 'emea', path: '/sales/emea', clientRoles: { orders: ['editor'] }, subGroups: [] }
  const sales = { name: 'sales', path: '/sales', realmRoles: ['staff'], subGroups: [emea] }
  const found = flatGroups([
    { ...sales, attributes: { floor: ['3'] } },
    { name: 'it', subGroups: [] },
  ])
  expect([...found.keys()]).toEqual(['/sales', '/sales/emea', '/it'])
  expect(found.get('/sales')).toMatchObject({ name: 'sales', roles: [ofRealm('staff')], fault: undefined })
  expect(found.get('/sales')?.notes.join()).toContain('groups have none here: floor')
  expect(found.get('/sales/emea')).toMatchObject({
    ...{ name: 'sales/emea', roles: [ofOrders('editor'), ofRealm('staff')] },
    notes: [expect.stringContaining('name is the path'), expect.stringContaining('groups that it was in')],
  })
})

test.each([
  ['nothing', [{}], 'no name'],
  ['a long path', [{ name: 'x'.repeat(201) }], 'longer than 200'],
  ['a name in another case', [{ name: 'Sales' }, { name: 'sales' }], 'only in upper and lower case'],
])('a group with %s fails alone', (_, groups, fault) => {
  const all = [...flatGroups([{ name: 'good' }, ...groups]).values()]
  expect(all[0]?.fault).toBeUndefined()
  expect(all.at(-1)?.fault).toContain(fault)
})

const realm = {
  ...nothingOf('staff'),
  ...{ defaultRole: 'usual' },
  realmRoles: [
    { name: 'offline_access' },
    {
      name: 'usual',
      composite: true,
      composites: { realm: ['offline_access', 'user'], client: { account: ['view-profile'] } },
    },
    { name: 'user', description: 'Everybody' },
    {
      name: 'boss',
      composites: {
        realm: ['user', 'boss'],
        client: { orders: ['editor'], 'realm-management': ['view-users'] },
      },
    },
    { name: 'User' },
    { name: 'two words', description: '\u0024{role_two}' },
  ],
  clientRoles: new Map([
    ['orders', [{ name: 'editor', composites: { client: { orders: ['reader'] } } }, { name: 'reader' }]],
    ['realm-management', [{ name: 'view-users' }]],
  ]),
}

test('a composite role gives its parts, also in a circle; Keycloak’s own are left out and named', () => {
  const { roles, expand } = flatRoles(realm)
  expect(expand([ofRealm('boss')])).toEqual({
    given: [ofRealm('boss'), ofRealm('user'), ofOrders('editor'), ofOrders('reader')],
    own: [{ client: 'realm-management', role: 'view-users' }],
  })
  expect(expand([ofRealm('usual'), ofRealm('unknown')]).given).toEqual([ofRealm('user'), ofRealm('unknown')])
  const all = [...roles.values()]
  expect(all.map(({ ref }) => ref.role)).toEqual(['user', 'boss', 'User', 'two words', 'editor', 'reader'])
  expect(all[1]?.notes).toEqual([
    expect.stringMatching(/composite role.*: user, boss, orders editor, orders reader\.$/),
    expect.stringMatching(/own are left out: realm-management view-users/),
  ])
  expect(all.map(({ fault }) => fault)).toEqual([
    ...[undefined, undefined, expect.stringContaining('upper and lower case')],
    ...[expect.stringContaining('must be a word'), undefined, undefined],
  ])
  expect(all.map(({ description }) => description)).toEqual(['Everybody', '', '', '', '', ''])
})

test('each client with roles is a resource server, whose identifier is chosen or made of its id', () => {
  const clients = [undefined, 'orders', 'https://api.example/v1', 'caf\u00e9']
  const servers = serversOf('staff', clients, { identifiers: ['orders=https://orders.example'] })
  expect([...servers.values()]).toEqual([
    { identifier: 'urn:keycloak:staff', name: 'staff', scope: 'use:staff' },
    { identifier: 'https://orders.example', name: 'orders', scope: 'use:orders' },
    {
      identifier: 'https://api.example/v1',
      name: 'https://api.example/v1',
      scope: 'use:https://api.example/v1',
    },
    { identifier: 'urn:keycloak:staff:caf%C3%A9', name: 'caf\u00e9', scope: 'use:caf_' },
  ])
  expect(serversOf('staff', [undefined], { realmIdentifier: 'urn:x:y' }).get(undefined)?.identifier).toBe(
    'urn:x:y',
  )
})

test.each([
  [{ identifiers: ['orders'] }, 'must be the id of a client'],
  [{ identifiers: ['other=urn:x:y'] }, 'no client other with roles'],
  [{ identifiers: ['orders=nothing'] }, 'must be an absolute URI'],
  [{ identifiers: ['orders=urn:x:y'], realmIdentifier: 'urn:x:y' }, 'Two clients have the identifier'],
])('%j is refused', (chosen, message) => {
  expect(() => serversOf('staff', [undefined, 'orders'], chosen)).toThrow(message)
})

type Item = { run: string; name: string }

test('items are sent by runs, each at most once, and an invalid one fails alone', async () => {
  const sent: string[] = []
  let away = true
  const work = async (run: Item[]): Promise<Result[] | { response: Response; error?: unknown }> => {
    sent.push(run.map(({ name }) => name).join(''))
    if (run.some(({ name }) => name === 'x'))
      return { response: new Response(null, { status: 400 }), error: { error_description: 'x is invalid.' } }
    if (run.some(({ run }) => run === 'late') && away)
      return { response: new Response(null, { status: 503 }) }
    return run.map(() => ({ outcome: 'created' }))
  }
  const send = sendInRuns(work, ({ run }) => run, 3)
  const items = [...'abxd'].map((name) => ({ run: 'soon', name })).concat({ run: 'late', name: 'l' })
  expect((await send(items)).response.status).toBe(503)
  away = false
  const { data } = await send(items)
  expect(data?.results.map(({ outcome }) => outcome)).toEqual([
    ...['created', 'created', 'invalid', 'created', 'created'],
  ])
  expect(data?.results[2]?.reason).toBe('x is invalid.')
  expect(sent).toEqual(['abx', 'ab', 'x', 'd', 'l', 'l'])
})
