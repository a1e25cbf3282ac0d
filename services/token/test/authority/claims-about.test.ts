import { expect, test } from 'vitest'
import { createAuthority } from '../../src/authority/authority.ts'
import type { AuthorityQuestion } from '../../src/authority/needs.ts'
import type { ResourceServer } from '../../src/clients/resource-servers.ts'
import { someClient } from '../clients/clients.ts'
import { someServer, tools } from '../clients/resource-registry.ts'
import { unaskedOrganizations } from '../organizations/organizations.ts'

const names = (count: number) => Array.from({ length: count }, (_, index) => `n${1000 + index}`)
const server = (changes: Partial<ResourceServer> = {}) =>
  someServer({
    roles: new Map([['maker', []], ['user', []], ...names(201).map((name) => [name, []] as const)]),
    ...changes,
  })

function start({
  roles = ['maker', 'gone', 'user'],
  groups = ['admins', 'staff'],
  active = true,
  servers = [server()],
} = {}) {
  const asked: AuthorityQuestion[] = []
  const { claimsAbout, claimScopes } = createAuthority({
    findAuthority: async (question) => {
      asked.push(question)
      const known = new Map(question.resourceIds.map((id) => [id, roles]))
      return active ? { revision: 1n, roles: known, groups: question.groups ? groups : [] } : undefined
    },
    findAttributes: async () => expect.unreachable('attributes were asked for'),
    organizations: unaskedOrganizations,
    knownServers: () => ({
      byIdentifier: new Map(servers.map((one) => [one.identifier, one])),
      scopes: new Set(servers.flatMap(({ scopes }) => [...scopes.keys()])),
    }),
  })
  const about = (
    scope: string,
    { requested = {}, registered = 'openid groups roles', metadata = {}, inToken = true } = {},
  ) =>
    claimsAbout({
      client: someClient({ scope: registered, metadata: { roles_of: tools, ...metadata } as object }),
      ...{ userId: 'user-1', organizationId: undefined, scope, requested, inToken },
    })
  return { about, asked, claimScopes }
}

test('the scope groups gives the names of the groups, sorted, and the scope roles those of the resource server that roles_of names', async () => {
  const { about, asked } = start()
  expect(await about('openid groups')).toEqual({ groups: ['admins', 'staff'] })
  expect(await about('openid roles')).toEqual({ roles: ['maker', 'user'] })
  expect(await about('openid groups roles')).toEqual({
    groups: ['admins', 'staff'],
    roles: ['maker', 'user'],
  })
  expect(asked.map(({ resourceIds, groups }) => [resourceIds, groups])).toEqual([
    [[], true],
    [['tools-id'], false],
    [['tools-id'], true],
  ])
})

test('nobody is asked about a scope without them', async () => {
  const { about, asked } = start()
  expect(await about('openid profile email')).toEqual({})
  expect(asked).toEqual([])
})

test('the claims request gives a claim if the scope of the client permits it, and only then', async () => {
  const { about, asked } = start()
  const requested = { groups: null, roles: { essential: true }, constructor: null }
  expect(await about('openid', { requested })).toEqual({
    groups: ['admins', 'staff'],
    roles: ['maker', 'user'],
  })
  expect(await about('openid', { requested, registered: 'openid groups' })).toEqual({
    groups: ['admins', 'staff'],
  })
  expect(await about('openid', { requested, registered: 'openid' })).toEqual({})
  expect(asked).toHaveLength(2)
})

test.each([
  ['without roles_of', { roles_of: undefined }],
  ['whose roles_of names no resource server', { roles_of: 'https://other.example' }],
  ['whose roles_of is no text', { roles_of: 7 }],
])('a client %s gets no roles', async (_, metadata) => {
  const { about, asked } = start()
  expect(await about('openid roles', { metadata })).toEqual({})
  expect(asked).toEqual([])
})

test('a resource server that is disabled has no roles for anybody', async () => {
  const { about } = start({ servers: [server({ disabled: true })] })
  expect(await about('openid roles')).toEqual({})
})

test('more than 200 are left out of an ID token, which says so, and are all in userinfo', async () => {
  const many = start({ groups: names(201), roles: names(201) })
  expect(await many.about('groups roles')).toEqual({ groups_overage: true, roles_overage: true })
  expect(await many.about('groups roles', { inToken: false })).toEqual({
    groups: names(201),
    roles: names(201),
  })
  const most = start({ groups: names(200), roles: names(200) })
  expect(await most.about('groups roles')).toEqual({ groups: names(200), roles: names(200) })
})

test('the shape is that of the client, and not that of the resource server', async () => {
  const keycloak = { claims_shape: 'keycloak' }
  expect(await start().about('groups roles', { metadata: keycloak })).toEqual({
    groups: ['/admins', '/staff'],
    realm_access: { roles: ['maker', 'user'] },
    resource_access: { Tools: { roles: ['maker', 'user'] } },
  })
  const other = start({ servers: [server({ claimsShape: 'keycloak' })] })
  expect(await other.about('roles')).toEqual({ roles: ['maker', 'user'] })
})

test('a user who is not active has no claims at all', async () => {
  expect(await start({ active: false }).about('groups')).toBeUndefined()
})

test('a resource server that defined a scope of one of these names keeps its meaning: it gives no claims', async () => {
  const { about, asked, claimScopes } = start({
    servers: [server({ scopes: new Map([['groups', 'Its groups']]) })],
  })
  expect(claimScopes()).toEqual(['roles', 'organization'])
  expect(await about('openid groups', { requested: { groups: null } })).toEqual({})
  expect(asked).toEqual([])
})
