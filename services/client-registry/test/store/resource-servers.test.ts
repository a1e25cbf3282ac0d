import { type ListRequest, listAdministered } from '@gatehouse/kit/administered/list-request'
import { resourceServers } from '@gatehouse/proto/administered/resource-servers'
import { beforeEach, describe, expect, test } from 'vitest'
import { registerClient } from '../../src/changes/registration.ts'
import type { NewResourceServer } from '../../src/resource-servers/resource-server.ts'
import {
  createResourceServer,
  deleteResourceServer,
  type ResourceServerChange,
  updateResourceServer,
} from '../../src/resource-servers/resource-server-change.ts'
import { lookupResourceServers } from '../../src/resource-servers/resource-server-list.ts'
import { actor, plainSettings, useReplicas } from '../registry.ts'

const shared = useReplicas()
beforeEach(async () => {
  await shared.query('truncate clients.clients, clients.resource_servers cascade')
  shared.replica().revoked.length = 0
})

const identifier = 'https://mcp.example/tools'
const tools = { scope: 'mcp:tools', description: 'Use its tools' }
const files = { scope: 'mcp:files', description: 'Read its files' }

const deps = () => shared.replica().resourceServers
const create = (changes: Partial<NewResourceServer> = {}) =>
  createResourceServer(
    { ...plainSettings, identifier, name: 'Tools', scopes: [tools, files], ...changes },
    actor,
    deps().changes,
  )
const update = (resourceId: string, change: ResourceServerChange['change'], revision = 0n) =>
  updateResourceServer({ resourceId, revision, change }, actor, deps().changes)
const list = (changes: Partial<ListRequest> = {}) =>
  listAdministered(resourceServers, { filters: {}, limit: 50, ...changes }, deps().store)
const namesOf = async (changes: Parameters<typeof list>[0]) =>
  (await list(changes)).items.map(({ name }) => name)
/** The identifiers whose grants were revoked. */
const revoked = () => shared.replica().revoked.map(({ kind, target }) => `${kind} ${target}`)

describe('creating a resource server', () => {
  test('keeps its settings, writes an audit entry, and revokes what was granted for an earlier one', async () => {
    const { clientId } = await shared.add()
    const created = await create({ name: ' Tools ', tokenLifetime: 300, openRegistration: true, clientId })
    expect(created).toMatchObject({
      ...{ identifier, name: 'Tools', scopes: [tools, files], tokenLifetime: 300 },
      ...{ openRegistration: true, clientId, disabled: false },
    })
    expect((await list()).items).toEqual([created])
    expect(await shared.auditOf(identifier)).toEqual([
      {
        action: 'resource.create',
        before: null,
        after: {
          ...{ identifier, name: 'Tools', scopes: [tools, files], token_lifetime: 300 },
          ...{ open_registration: true, client_id: clientId },
          ...{ roles: [], scopes_by_role: false, token_claims: [], claims_shape: 'flat' },
        },
      },
    ])
    expect(revoked()).toEqual([`resource ${identifier}`])
  })

  test.each<[string, Partial<NewResourceServer>, string]>([
    ['a relative identifier', { identifier: '/tools' }, 'identifier must be an absolute URI.'],
    ['no identifier', { identifier: '' }, 'identifier must be an absolute URI.'],
    ['a space', { identifier: 'https://a.example/b c' }, 'identifier must be an absolute URI.'],
    ['a fragment', { identifier: `${identifier}#a` }, 'identifier must not have a fragment.'],
    ['a long one', { identifier: `https://a.example/${'a'.repeat(2031)}` }, 'at most 2048 characters'],
    ['this server', { identifier: 'https://auth.example' }, 'must not be the address of this server'],
    ['an invisible name', { name: '\u200b' }, 'name has an invisible character.'],
    ['no scopes', { scopes: [] }, 'scopes must have at least one scope.'],
    ['two words as a scope', { scopes: [{ ...tools, scope: 'a b' }] }, 'scopes[0] must be a word'],
    ['the same scope twice', { scopes: [tools, tools] }, 'scopes[1] is a scope that the list has before.'],
    ['a scope of this server', { scopes: [{ ...tools, scope: 'admin' }] }, 'scopes[0] must not be admin'],
    ['no words', { scopes: [{ ...tools, description: '' }] }, 'scopes[0].description is empty.'],
    ['a short lifetime', { tokenLifetime: 59 }, 'token_lifetime must be a whole number from 60 to 604800.'],
    ['an unknown client', { clientId: 'client_none' }, 'client_id must be the id of a client.'],
  ])('refuses %s and stores nothing', async (_, changes, description) => {
    await expect(create(changes)).rejects.toMatchObject({
      code: 'invalid_request',
      description: expect.stringContaining(description),
    })
    expect(await shared.query('select from clients.resource_servers')).toEqual([])
  })

  test('succeeds once for an identifier, of several at the same moment', async () => {
    const origin = new URL(identifier).origin
    const addresses = [origin, `${origin}/`, origin, `${origin}/`]
    const creations = addresses.map((one) => create({ identifier: one }))
    const results = await Promise.allSettled(creations)
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const one of addresses)
      await expect(create({ identifier: one })).rejects.toMatchObject({
        description: 'identifier is that of another resource server.',
      })
  })
})

test('a resource server without a name is called like its host', async () => {
  expect((await create({ name: ' ' })).name).toBe('mcp.example')
  expect((await create({ name: '', identifier: 'urn:example:api' })).name).toBe('urn:example:api')
  const [{ resourceId } = expect.unreachable('it was created')] = (await list()).items
  await expect(update(resourceId, { name: ' ' })).rejects.toMatchObject({ description: 'name is empty.' })
})

describe('changing a resource server', () => {
  test('changes the given fields only; a new name or a new scope revokes nothing', async () => {
    const { resourceId, revision } = await create()
    shared.replica().revoked.length = 0
    const scopes = [tools, files, { scope: 'mcp:more', description: 'Do more' }]
    const changed = await update(resourceId, { name: 'More', scopes, tokenLifetime: 60 })
    expect(changed).toMatchObject({ identifier, name: 'More', scopes, tokenLifetime: 60 })
    expect(changed.revision).toBeGreaterThan(revision)
    expect((await shared.auditOf(identifier)).at(-1)).toEqual({
      action: 'resource.update',
      before: { name: 'Tools', scopes: [tools, files], token_lifetime: null },
      after: { name: 'More', scopes, token_lifetime: 60 },
    })
    expect(await update(resourceId, { tokenLifetime: undefined })).toMatchObject({ tokenLifetime: undefined })
    expect(revoked()).toEqual([])
  })

  test('without a client is logged with an empty text', async () => {
    const { clientId } = await shared.add()
    const { resourceId } = await create({ clientId })
    expect(await update(resourceId, { clientId: undefined })).toMatchObject({ clientId: undefined })
    expect((await shared.auditOf(identifier)).at(-1)).toMatchObject({
      ...{ before: { client_id: clientId }, after: { client_id: '' } },
    })
  })

  test.each<[string, ResourceServerChange['change']]>([
    ['disabling it', { disabled: true }],
    ['taking a scope away', { scopes: [files] }],
    ['closing it to registration', { openRegistration: false }],
  ])('%s revokes what was granted for it', async (_, change) => {
    const { resourceId } = await create({ openRegistration: true })
    shared.replica().revoked.length = 0
    await update(resourceId, change)
    expect(revoked()).toEqual([`resource ${identifier}`])
    await update(resourceId, change)
    expect(revoked()).toHaveLength(1)
  })

  test('is refused with an outdated revision, and for an unknown one', async () => {
    const { resourceId, revision } = await create()
    await update(resourceId, { name: 'New' }, revision)
    await expect(update(resourceId, { name: 'Newer' }, revision)).rejects.toMatchObject({
      code: 'outdated_revision',
    })
    for (const unknown of [actor.id, 'x'])
      await expect(update(unknown, { name: 'New' })).rejects.toMatchObject({ code: 'not_found' })
  })
})

test('deleting a resource server revokes what was granted for it', async () => {
  const { resourceId } = await create()
  shared.replica().revoked.length = 0
  await deleteResourceServer(resourceId, actor, deps().changes)
  expect(revoked()).toEqual([`resource ${identifier}`])
  expect((await shared.auditOf(identifier)).at(-1)).toMatchObject({ action: 'resource.delete', after: null })
  await expect(deleteResourceServer(resourceId, actor, deps().changes)).rejects.toMatchObject({
    code: 'not_found',
  })
})

test('deleting the client of a resource server leaves it without one, which is a change of it', async () => {
  const { clientId } = await shared.add()
  const { revision } = await create({ clientId })
  await shared.query('delete from clients.clients where client_id = $1', [clientId])
  const [left] = (await list()).items
  expect(left).toMatchObject({ clientId: undefined })
  expect(left?.revision).toBeGreaterThan(revision)
})

test('a list is searched, filtered, sorted and read page by page', async () => {
  for (const name of ['Alpha', 'beta', 'Gamma'])
    await create({ name, identifier: `https://${name.toLowerCase()}.example` })
  const { items } = await list({ search: 'ALPHA' })
  await update(items[0]?.resourceId ?? '', { disabled: true })
  expect(await namesOf({})).toEqual(['Gamma', 'beta', 'Alpha'])
  expect(await namesOf({ sort: 'name' })).toEqual(['Alpha', 'beta', 'Gamma'])
  expect(await namesOf({ search: 'eta.exam' })).toEqual(['beta'])
  expect(await namesOf({ filters: { disabled: 'true' } })).toEqual(['Alpha'])
  expect(await namesOf({ filters: { identifier: 'https://beta.example' } })).toEqual(['beta'])
  const first = await list({ sort: 'name', limit: 2 })
  expect(await namesOf({ sort: 'name', limit: 2, cursor: first.nextCursor })).toEqual(['Gamma'])
  expect(first.total).toBe(3)
})

test('a look-up gives all of them after any change, and nothing while there was none', async () => {
  const lookup = (version: string | undefined) => lookupResourceServers(version, deps().store)
  const seen = new Set<string>()
  const next = async () => {
    const answer = await lookup([...seen].at(-1))
    expect(seen).not.toContain(answer.version)
    seen.add(answer.version)
    return answer.resourceServers.map(({ name, disabled }) => [name, disabled])
  }
  expect(await next()).toEqual([])
  const { resourceId } = await create()
  const other = await create({ identifier: 'https://other.example', name: 'Other' })
  expect(await next()).toEqual([
    ['Tools', false],
    ['Other', false],
  ])
  expect((await lookup([...seen].at(-1))).resourceServers).toEqual([])
  await update(resourceId, { disabled: true })
  expect((await next())[0]).toEqual(['Tools', true])
  await deleteResourceServer(other.resourceId, actor, deps().changes)
  expect(await next()).toEqual([['Tools', true]])
})

describe('a client that registers itself', () => {
  const register = (scope?: string) =>
    registerClient(
      { redirectUris: ['https://app.example/cb'], grantTypes: [], scope },
      shared.replica().registration,
    )

  test('may have the scopes of resource servers that are open to it, and has them by default', async () => {
    await create({ openRegistration: true })
    expect((await register('mcp:tools write')).client.scope).toBe('mcp:tools write')
    expect((await register()).client.scope).toBe('read mcp:tools mcp:files')
  })

  test('may not have those of others, nor of disabled ones', async () => {
    const { resourceId } = await create()
    await expect(register('mcp:tools')).rejects.toMatchObject({ code: 'invalid_scope' })
    await update(resourceId, { openRegistration: true, disabled: true })
    await expect(register('mcp:tools')).rejects.toMatchObject({ code: 'invalid_scope' })
    expect((await register()).client.scope).toBe('read')
  })
})
