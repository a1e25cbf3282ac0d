import { setTimeout as sleep } from 'node:timers/promises'
import { authorityOfRoles } from '@gatehouse/proto/authority'
import { beforeEach, describe, expect, test } from 'vitest'
import type { ResourceRole } from '../../src/resource-servers/resource-role.ts'
import type { NewResourceServer } from '../../src/resource-servers/resource-server.ts'
import {
  createResourceServer,
  type ResourceServerChange,
  updateResourceServer,
} from '../../src/resource-servers/resource-server-change.ts'
import { actor, plainSettings, useReplicas } from '../registry.ts'

const shared = useReplicas()
beforeEach(async () => {
  await shared.query(
    'truncate clients.clients, clients.resource_servers, clients.pending_revocations cascade',
  )
  shared.replica().revoked.length = 0
})

const identifier = 'https://orders.example'
const scopes = ['read', 'write', 'delete'].map((word) => ({ scope: `orders:${word}`, description: word }))
const role = (name: string, given: readonly string[] = ['read'], more: Partial<ResourceRole> = {}) => ({
  ...{ name, description: '', organizationsMayGive: false },
  ...{ scopes: given.map((word) => `orders:${word}`), ...more },
})

const deps = () => shared.replica().resourceServers
const create = (changes: Partial<NewResourceServer> = {}, organizations = true) =>
  createResourceServer({ ...plainSettings, identifier, name: 'Orders', scopes, ...changes }, actor, {
    ...deps().changes,
    organizations,
  })
const update = (resourceId: string, change: ResourceServerChange['change'], organizations = true) =>
  updateResourceServer({ resourceId, revision: 0n, change }, actor, { ...deps().changes, organizations })
/** The revocations since the creation. */
const revoked = () =>
  shared
    .replica()
    .revoked.map(({ kind, target }) => `${kind} ${target}`)
    .slice(1)

describe('the roles of a resource server', () => {
  test('are kept with its other settings about roles, and are in the audit log', async () => {
    const roles = [role('editor', ['write', 'read'], { description: ' Edits ', organizationsMayGive: true })]
    const settings = { scopesByRole: true, tokenClaims: ['email', 'roles'], claimsShape: 'keycloak' } as const
    const created = await create({ roles, ...settings })
    const kept = {
      roles: [{ ...roles[0], description: 'Edits' }],
      ...{ scopesByRole: true, tokenClaims: ['roles', 'email'], claimsShape: 'keycloak' },
    }
    expect(created).toMatchObject(kept)
    const stored = await deps().store.get(created.resourceId)
    expect(stored).toEqual(created)
    expect(await deps().store.all()).toEqual([created])
    expect((await shared.auditOf(identifier)).at(-1)).toMatchObject({
      after: {
        roles: [
          {
            ...{ name: 'editor', description: 'Edits', scopes: ['orders:write', 'orders:read'] },
            organizations_may_give: true,
          },
        ],
        ...{ scopes_by_role: true, token_claims: ['roles', 'email'], claims_shape: 'keycloak' },
      },
    })
  })

  test('are none on a row that the last release writes', async () => {
    await shared.query(
      `insert into clients.resource_servers (resource_id, identifier, name, scopes)
      values ('0190f0a0-0000-7000-8000-000000000001', $1, 'Orders', '[]')`,
      [identifier],
    )
    expect(await deps().store.all()).toMatchObject([
      { roles: [], scopesByRole: false, tokenClaims: [], claimsShape: 'flat' },
    ])
  })

  const many = Array.from({ length: 201 }, (_, at) => role(`r${at}`))
  test.each<[string, Partial<NewResourceServer>, string]>([
    ['too many', { roles: many }, 'roles must have at most 200 roles.'],
    ['one without a name', { roles: [role('')] }, 'roles[0].name must be a word of 1 to 100'],
    ['a long name', { roles: [role('a'.repeat(101))] }, 'roles[0].name must be a word of 1 to 100'],
    ['white space', { roles: [role('a b')] }, 'roles[0].name must be a word'],
    ['a control character', { roles: [role('a\u0007')] }, 'roles[0].name must be a word'],
    ['a double quote', { roles: [role('a"')] }, 'roles[0].name must be a word'],
    ['a single quote', { roles: [role("a'")] }, 'roles[0].name must be a word'],
    ['a backslash', { roles: [role('a\\')] }, 'roles[0].name must be a word'],
    ['a comma', { roles: [role('a,b')] }, 'roles[0].name must be a word'],
    ['a colon', { roles: [role('a:b')] }, 'roles[0].name must be a word'],
    ['an invisible name', { roles: [role('\u3164')] }, 'roles[0].name has an invisible character.'],
    ['a name twice', { roles: [role('a'), role('a')] }, 'roles[1].name is that of a role that the list has'],
    [
      'names that differ in case',
      { roles: [role('Admin'), role('admin')] },
      'roles[1].name differs from Admin only in upper and lower case.',
    ],
    [
      'a scope of another resource server',
      { roles: [role('a', ['read', 'all'])] },
      'roles[0].scopes must be scopes of the resource server; orders:all is not.',
    ],
    [
      'a long description',
      { roles: [role('a', [], { description: 'a'.repeat(201) })] },
      'roles[0].description is longer than 200 characters.',
    ],
    ['an unknown claim', { tokenClaims: ['sub'] }, 'token_claims must be claims out of roles, groups, name'],
    ['an unknown shape', { claimsShape: 'round' as 'flat' }, 'claims_shape must be one of flat, keycloak.'],
  ])('are refused with %s', async (_, changes, description) => {
    await expect(create(changes)).rejects.toMatchObject({
      code: 'invalid_request',
      description: expect.stringContaining(description),
    })
    const { resourceId } = await create()
    await expect(update(resourceId, changes)).rejects.toMatchObject({ code: 'invalid_request' })
  })

  test('may be 200, and have names of 100 characters of any script', async () => {
    expect((await create({ roles: many.slice(1) })).roles).toHaveLength(200)
    const roles = [role('🚀'.repeat(100)), role('مدير')]
    expect(await create({ identifier: 'https://other.example', roles })).toMatchObject({ roles })
  })
})

describe('a change of roles', () => {
  test('that gives something ends nothing', async () => {
    const { resourceId } = await create({ roles: [role('reader')] })
    const roles = [role('reader', ['read', 'write'], { description: 'Reads', organizationsMayGive: true })]
    const change = {
      roles: [...roles, role('writer')],
      tokenClaims: ['roles'],
      claimsShape: 'keycloak',
    } as const
    expect(await update(resourceId, change)).toMatchObject(change)
    expect(revoked()).toEqual([])
  })

  test.each<[string, ResourceServerChange['change']]>([
    ['deletes a role', { roles: [role('reader')] }],
    ['takes a scope from a role', { roles: [role('reader'), role('editor', ['read'])] }],
    ['calls a role otherwise', { roles: [role('reader'), role('Editor', ['read', 'write'])] }],
    ['lets roles give its scopes', { scopesByRole: true }],
  ])('that %s ends the tokens by its older roles', async (_, change) => {
    const { resourceId } = await create({ roles: [role('reader'), role('editor', ['read', 'write'])] })
    const { revision } = await update(resourceId, change)
    expect(revoked()).toEqual([`authority ${revision}:${authorityOfRoles(identifier)}`])
    await update(resourceId, change)
    expect(revoked()).toHaveLength(1)
  })

  test('that lets its scopes be given without roles ends nothing', async () => {
    const { resourceId } = await create({ scopesByRole: true })
    await update(resourceId, { scopesByRole: false })
    expect(revoked()).toEqual([])
  })

  test('ends the tokens that clients with the role have without a user', async () => {
    const { resourceId } = await create({ roles: [role('reader'), role('editor')] })
    await create({ identifier: 'https://other.example', roles: [role('editor')] })
    const [editor, reader, elsewhere] = await Promise.all(
      [
        { resource: identifier, role: 'editor' },
        { resource: identifier, role: 'reader' },
        { resource: 'https://other.example', role: 'editor' },
      ].map(async (one) => (await shared.add({ metadata: { roles: [one] } })).clientId),
    )
    await shared.add()
    shared.replica().revoked.length = 1
    const { revision } = await update(resourceId, { roles: [role('reader')] })
    expect(revoked()).toEqual([`authority ${revision}:${authorityOfRoles(identifier)}`, `own ${editor}`])
    expect([reader, elsewhere]).not.toContain(editor)
  })

  test('ends them for a client that names the resource server with a slash, as an earlier one was called', async () => {
    await create({ identifier: `${identifier}/`, roles: [role('editor')] })
    const { clientId } = await shared.add({
      metadata: { roles: [{ resource: `${identifier}/`, role: 'editor' }] },
    })
    await shared.query('delete from clients.resource_servers')
    const { resourceId } = await create({ roles: [role('editor')] })
    shared.replica().revoked.length = 1
    await update(resourceId, { roles: [] })
    expect(revoked()).toContain(`own ${clientId}`)
  })

  test('is delivered later while the token service is away', async () => {
    const { resourceId } = await create({ roles: [role('reader')] })
    shared.replica().tokenAway = true
    const { revision } = await update(resourceId, { roles: [] })
    expect(revoked()).toEqual([])
    shared.replica().tokenAway = false
    await shared.replica().deliverAll()
    expect(revoked()).toEqual([`authority ${revision}:${authorityOfRoles(identifier)}`])
  })
})

describe('taking a scope from the resource server', () => {
  const without = scopes.slice(0, 1)

  test('takes it from its roles in the same change', async () => {
    const { resourceId } = await create({ roles: [role('reader'), role('editor', ['read', 'write'])] })
    const changed = await update(resourceId, { scopes: without })
    expect(changed.roles).toEqual([role('reader'), role('editor', ['read'])])
    expect((await shared.auditOf(identifier)).at(-1)).toMatchObject({
      after: { roles: [{ name: 'reader' }, { name: 'editor', scopes: ['orders:read'] }] },
    })
    expect(revoked()).toEqual([
      `authority ${changed.revision}:${authorityOfRoles(identifier)}`,
      `resource ${identifier}`,
    ])
  })

  test('is refused together with a role that gives it', async () => {
    const { resourceId } = await create()
    const roles = [role('editor', ['write'])]
    await expect(update(resourceId, { scopes: without, roles })).rejects.toMatchObject({
      description: 'roles[0].scopes must be scopes of the resource server; orders:write is not.',
    })
  })
})

describe('the scopes groups, roles and organization', () => {
  const asked = ['groups', 'roles', 'organization'].map((scope) => ({ scope, description: 'Old' }))

  test('are refused for new ones where groups and roles count', async () => {
    for (const one of asked) {
      const description = `scopes[0] must not be ${one.scope}, which has a meaning on this server.`
      await expect(create({ scopes: [one] })).rejects.toMatchObject({ description })
    }
    const { resourceId } = await create()
    await expect(update(resourceId, { scopes: [...scopes, ...asked] })).rejects.toMatchObject({
      description: 'scopes[3] must not be groups, which has a meaning on this server.',
    })
  })

  test('stay those of a resource server that has them, and can be given to it where groups and roles do not count', async () => {
    const { resourceId } = await create({ scopes: asked }, false)
    const renamed = asked.map((one) => ({ ...one, description: 'New' }))
    expect(await update(resourceId, { scopes: renamed })).toMatchObject({ scopes: renamed })
    await update(resourceId, { scopes: renamed.slice(1) })
    await expect(update(resourceId, { scopes: renamed })).rejects.toMatchObject({
      description: 'scopes[0] must not be groups, which has a meaning on this server.',
    })
  })
})

test('changes of different resource servers commit in the order of their revisions', async () => {
  const { prisma } = shared.replica().database
  const first = await create()
  const second = await create({ identifier: 'https://other.example' })
  let open = () => {}
  const held = new Promise<void>((resolve) => {
    open = resolve
  })
  const order: string[] = []
  const rename = (resourceId: string) => ({ where: { resourceId }, data: { name: 'New' } })
  let drawn = () => {}
  const hasDrawn = new Promise<void>((resolve) => {
    drawn = resolve
  })
  const slow = prisma.$transaction(async (transaction) => {
    const { revision } = await transaction.resourceServer.update(rename(first.resourceId))
    drawn()
    await held
    order.push('first')
    return revision
  })
  await hasDrawn
  const quick = update(second.resourceId, { name: 'New' }).then(({ revision }) => {
    order.push('second')
    return revision
  })
  await sleep(300)
  expect(order).toEqual([])
  open()
  expect(await quick).toBeGreaterThan(await slow)
  expect(order).toEqual(['first', 'second'])
})
