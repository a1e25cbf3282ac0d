import { describe, expect, test } from 'vitest'
import { createAuthority, noAuthority } from '../../src/authority/authority.ts'
import type { AuthorityQuestion, UserAuthority } from '../../src/authority/needs.ts'
import type { Client } from '../../src/clients/client-authentication.ts'
import type { ResourceServer } from '../../src/clients/resource-servers.ts'
import { someClient } from '../clients/clients.ts'
import { files, filesServer, someServer, tools } from '../clients/resource-registry.ts'
import { unaskedOrganizations } from '../organizations/organizations.ts'

/** A resource server whose scopes roles give. */
const byRole = (changes: Partial<ResourceServer> = {}) =>
  someServer({
    scopes: new Map(['tools:use', 'tools:make', 'tools:break'].map((scope) => [scope, scope])),
    scopesByRole: true,
    roles: new Map([
      ['user', ['tools:use']],
      ['maker', ['tools:use', 'tools:make']],
      ['guest', []],
    ]),
    revision: 5n,
    ...changes,
  })
const user = { client: someClient(), userId: 'user-1' }
const authorityOf = (roles: Record<string, string[]>, groups: string[] = []): UserAuthority => ({
  revision: 7n,
  roles: new Map(Object.entries(roles)),
  groups,
})

function start(found: UserAuthority | undefined, attributes?: Record<string, unknown>) {
  const asked: AuthorityQuestion[] = []
  const profiles: string[] = []
  const authority = createAuthority({
    findAuthority: async (question) => {
      asked.push(question)
      return found
    },
    findAttributes: async (userId) => {
      profiles.push(userId)
      return attributes
    },
    organizations: unaskedOrganizations,
    knownServers: () => ({ byIdentifier: new Map([[tools, byRole()]]), scopes: new Set(['tools:use']) }),
  })
  return { ...authority, asked, profiles }
}

/** A client with these roles of its own. */
const having = (...roles: unknown[]): Pick<Client, 'metadata'> => ({ metadata: { roles } as object })

describe('the scope of a resource server whose scopes roles give', () => {
  test.each<[what: string, roles: string[], scope: string, left: string | undefined]>([
    ['is what one role gives', ['user'], 'tools:use tools:make', 'tools:use'],
    ['is what all roles together give', ['user', 'maker'], 'tools:make tools:use', 'tools:make tools:use'],
    ['has no scope that was not asked for', ['maker'], 'tools:make', 'tools:make'],
    ['leaves scopes of this server itself alone', ['user'], 'openid read tools:use', 'openid read tools:use'],
    ['is nothing without a role', [], 'tools:use', undefined],
    ['is nothing without a role, also beside a scope of this server', [], 'read tools:use', undefined],
    ['is nothing by a role without scopes', ['guest'], 'tools:use', undefined],
    ['is nothing by a role that the resource server no longer has', ['owner'], 'tools:use', undefined],
    ['is nothing of what was asked for', ['user'], 'tools:break', undefined],
    ['does not count where none of its scopes was asked for', [], 'read', 'read'],
  ])('%s', async (_, roles, scope, left) => {
    const { judge } = start(authorityOf({ 'tools-id': roles }))
    expect((await judge(user, { servers: [byRole()] }, scope))?.scope).toBe(left)
  })

  test('is nothing if one of two resource servers has nothing left', async () => {
    const servers = [
      byRole(),
      filesServer({ scopesByRole: true, roles: new Map([['reader', ['files:read']]]) }),
    ]
    const some = start(authorityOf({ 'tools-id': ['user'] }))
    expect(await some.judge(user, { servers }, 'tools:use files:read')).toBeUndefined()
    const both = start(authorityOf({ 'tools-id': ['user'], 'files-id': ['reader'] }))
    expect((await both.judge(user, { servers }, 'tools:use files:read'))?.scope).toBe('tools:use files:read')
  })

  test('is not what another resource server of the token defined by the same name', async () => {
    // Both accept the token, so the one whose roles do not give the scope must not get it.
    const other = filesServer({
      scopes: new Map([
        ['tools:use', 'x'],
        ['files:read', 'y'],
      ]),
    })
    const { judge } = start(authorityOf({}))
    expect(await judge(user, { servers: [byRole(), other] }, 'tools:use files:read')).toBeUndefined()
  })

  test('is nothing for a user who is not active', async () => {
    const { judge } = start(undefined)
    expect(await judge(user, { servers: [byRole()] }, 'tools:use')).toBeUndefined()
  })

  test('is judged by the revisions of all that it was judged by', async () => {
    const { judge, asked } = start(authorityOf({ 'tools-id': ['user'] }))
    const servers = [byRole(), filesServer({ revision: 9n })]
    const judged = await judge(user, { servers }, 'tools:use files:read')
    expect(judged?.authority).toEqual({ carried: undefined, authorityRevision: 7n, rolesRevision: 9n })
    expect(asked).toEqual([
      { userId: 'user-1', organizationId: undefined, resourceIds: ['tools-id'], groups: false },
    ])
  })
})

describe('a client that acts for itself', () => {
  const alone = (client: Pick<Client, 'metadata'>) => ({ client, userId: undefined })

  test('has the scopes that its own roles give, without a question to anybody', async () => {
    const { judge, asked, profiles } = start(undefined)
    const client = having({ resource: tools, role: 'maker' }, { resource: files, role: 'user' })
    const judged = await judge(alone(client), { servers: [byRole()] }, 'tools:use tools:break')
    expect(judged).toEqual({
      scope: 'tools:use',
      authority: { carried: undefined, authorityRevision: undefined, rolesRevision: 5n },
    })
    expect([...asked, ...profiles]).toEqual([])
  })

  test.each<[what: string, client: Pick<Client, 'metadata'>]>([
    ['no field roles', { metadata: {} }],
    ['a field that is no list', { metadata: { roles: 'maker' } as object }],
    ['entries of other forms', having(null, 'maker', { resource: tools }, { role: 'maker' }, ['maker'])],
    ['a role of another resource server', having({ resource: files, role: 'maker' })],
  ])('has nothing with %s', async (_, client) => {
    expect(await start(undefined).judge(alone(client), { servers: [byRole()] }, 'tools:use')).toBeUndefined()
  })

  test('has its roles in its token, but neither groups nor attributes', async () => {
    const server = byRole({ scopesByRole: false, tokenClaims: ['roles', 'groups', 'email'] })
    const { judge } = start(authorityOf({}, ['staff']), { email: 'ann@example.com' })
    const judged = await judge(
      alone(having({ resource: tools, role: 'user' })),
      { servers: [server] },
      'tools:use',
    )
    expect(judged?.authority?.carried).toEqual({ roles: ['user'] })
  })
})

describe('an access token carries', () => {
  const listing = (tokenClaims: string[], changes: Partial<ResourceServer> = {}) =>
    byRole({ scopesByRole: false, tokenClaims, ...changes })
  const found = authorityOf({ 'tools-id': ['user', 'gone', 'maker'] }, ['admins', 'staff'])
  const attributes = { email: 'ann@example.com', email_verified: true, name: 'Ann' }
  const carriedFor = async (...servers: ResourceServer[]) =>
    (await start(found, attributes).judge(user, { servers }, 'tools:use files:read'))?.authority?.carried

  test('roles, groups and attributes that its resource server lists, and no others', async () => {
    expect(await carriedFor(listing(['roles', 'groups', 'email']))).toEqual({
      roles: ['maker', 'user'],
      groups: ['admins', 'staff'],
      email: 'ann@example.com',
    })
    expect(await carriedFor(listing(['email_verified']))).toEqual({ email_verified: true })
  })

  test('none of them for several resource servers', async () => {
    expect(await carriedFor(listing(['roles', 'groups', 'email']), filesServer())).toBeUndefined()
  })

  test('no registered claim, whatever is listed', async () => {
    const registered = [
      'iss',
      'sub',
      'aud',
      'exp',
      'iat',
      'nbf',
      'jti',
      'client_id',
      'scope',
      'act',
      'cnf',
      '__proto__',
    ]
    expect(await carriedFor(listing(registered))).toBeUndefined()
  })

  test('no more than 200 of them, and says so', async () => {
    const names = (count: number) => Array.from({ length: count }, (_, index) => `n${1000 + index}`)
    const server = (count: number) =>
      listing(['roles', 'groups'], { roles: new Map(names(count).map((name) => [name, []])) })
    const carried = async (count: number) => {
      const { judge } = start(authorityOf({ 'tools-id': names(count) }, names(count)))
      return (await judge(user, { servers: [server(count)] }, 'tools:use'))?.authority?.carried
    }
    expect(await carried(200)).toEqual({ roles: names(200), groups: names(200) })
    expect(await carried(201)).toEqual({ roles_overage: true, groups_overage: true })
  })

  test('them as Keycloak writes them where its resource server wants that', async () => {
    expect(await carriedFor(listing(['roles', 'groups'], { claimsShape: 'keycloak' }))).toEqual({
      realm_access: { roles: ['maker', 'user'] },
      resource_access: { Tools: { roles: ['maker', 'user'] } },
      groups: ['/admins', '/staff'],
    })
  })

  test('groups by the revision of the user alone, and attributes by none', async () => {
    const revisions = async (...claims: string[]) => {
      const judged = await start(found, attributes).judge(user, { servers: [listing(claims)] }, 'tools:use')
      const { authorityRevision, rolesRevision } = judged?.authority ?? expect.unreachable('no authority')
      return [authorityRevision, rolesRevision]
    }
    expect(await revisions('groups')).toEqual([7n, undefined])
    expect(await revisions('roles')).toEqual([7n, 5n])
    expect(await revisions('email')).toEqual([undefined, undefined])
  })

  test('nothing of a user who was deleted meanwhile: there is no token', async () => {
    expect(
      await start(found, undefined).judge(user, { servers: [listing(['email'])] }, 'tools:use'),
    ).toBeUndefined()
  })
})

test('a target without roles and without claims concerns nobody', () => {
  const { concerns } = start(undefined)
  const target = (...servers: ResourceServer[]) => concerns({ servers })
  const withRoles = byRole({ scopesByRole: false })
  expect([target(), target(withRoles), target(withRoles, filesServer())]).toEqual([false, false, false])
  expect(target(byRole({ scopesByRole: false, tokenClaims: ['groups'] }))).toBe(true)
  expect(target(byRole({ scopesByRole: false, tokenClaims: ['groups'] }), filesServer())).toBe(false)
  expect(target(filesServer(), byRole())).toBe(true)
})

test('where OAUTH2_ORGANIZATIONS_ENABLED is off, roles and groups decide nothing', async () => {
  const servers = [byRole({ tokenClaims: ['roles'] })]
  expect(noAuthority.concerns({ servers })).toBe(false)
  expect(await noAuthority.judge(user, { servers }, 'tools:use')).toEqual({ scope: 'tools:use' })
  expect(noAuthority.isByRole([tools])).toBe(false)
  expect(noAuthority.claimScopes()).toEqual([])
  const wanted = {
    userId: 'u',
    organizationId: undefined,
    scope: 'groups roles',
    requested: {},
    inToken: true,
  }
  expect(await noAuthority.claimsAbout({ client: someClient(), ...wanted })).toEqual({})
})
