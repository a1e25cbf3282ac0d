import { credentialsOf, issueToken, until } from '@gatehouse/test/oauth'
import { gatehouseCommand } from '@gatehouse/test/programs/gatehouse-command'
import type { RegisteredClient } from '@gatehouse/test/system'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type AdminWorld,
  bearer,
  type Credentials,
  type Items,
  isActiveFor,
  rootName,
  rootPassword,
  sessionOf,
  startAdminWorld,
} from './admin-world.ts'

const identifier = 'https://notes.example/'
const identifierOfOther = 'https://other.example/'

let world: AdminWorld
let resourceId: string
let client: RegisteredClient
beforeAll(async () => {
  world = await startAdminWorld({
    OAUTH2_ORGANIZATIONS_ENABLED: 'true',
    OAUTH2_RESOURCE_INDICATORS: 'registered',
  })
  const scopes = ['notes:read', 'notes:write'].map((scope) => ({ scope, description: scope }))
  const roles = [
    { name: 'reader', scopes: ['notes:read'] },
    { name: 'writer', scopes: ['notes:read', 'notes:write'] },
  ]
  const resource = { identifier, scopes, roles, scopes_by_role: true }
  resourceId = (await world.done<{ resource_id: string }>('POST', '/admin/api/resources', resource))
    .resource_id
  client = await world.done<RegisteredClient>('POST', '/admin/api/clients', {
    ...{ client_name: 'Notes', grant_types: ['password', 'refresh_token'], scope: 'notes:read notes:write' },
  })
})
afterAll(() => world?.stop())

/** A client that may only change groups and roles. */
const directoryClient = () =>
  world.done<RegisteredClient>('POST', '/admin/api/clients', {
    ...{ client_name: 'Directory', grant_types: ['client_credentials'] },
    scope: 'admin:groups:write admin:users:read admin:resources:read',
  })

type Named = { group_id: string; name: string; revision: number }
let groups = 0
const addGroup = () => {
  groups += 1
  return world.done<Named>('POST', '/admin/api/groups', { name: `Group ${groups}` })
}
const change = (path: string, body: object, who: Credentials = world.root) =>
  world.api<Record<string, { outcome: string; reason?: string }[]>>(who, 'PATCH', `/admin/api/${path}`, body)
const outcomesIn = (results: { outcome: string }[] | undefined) => results?.map(({ outcome }) => outcome)
/** The audit entries of a target, oldest first. */
const auditOf = async (target: string) => {
  const { items } = await world.done<Items<{ action: string }>>('GET', `/admin/api/audit?target=${target}`)
  return items.map(({ action }) => action).reverse()
}

/** The answer of the token endpoint to a user who asks for everything at the resource server. */
async function tokenFor({ username, password }: { username: string; password: string }) {
  const form = { grant_type: 'password', username, password, scope: 'notes:read notes:write' }
  const answer = await world.system.form('/oauth/token', {
    ...form,
    resource: identifier,
    ...credentialsOf(client),
  })
  return JSON.parse(await answer.text()) as { access_token: string; scope?: string; error?: string }
}

describe('the API', () => {
  test('creates, finds, changes and deletes groups, with an entry in the audit log for each', async () => {
    const group = await addGroup()
    const path = `groups/${group.group_id}`
    const { body: found } = await world.api<Items<Named>>(
      world.root,
      'GET',
      `/admin/api/groups?search=${group.name}`,
    )
    expect(found.items).toContainEqual(group)
    expect(await change(path, { name: 'Renamed', revision: 1 })).toMatchObject({
      status: 200,
      body: { revision: 2 },
    })
    expect((await change(path, { name: 'Late', revision: 1 })).body).toMatchObject({
      error: 'outdated_revision',
    })
    const taken = await world.api(world.root, 'POST', '/admin/api/groups', { name: 'RENAMED' })
    expect([taken.status, taken.body]).toMatchObject([
      400,
      { error_description: 'name is that of another group.' },
    ])
    expect((await world.api(world.root, 'DELETE', `/admin/api/${path}`)).status).toBe(204)
    expect((await world.api(world.root, 'GET', `/admin/api/${path}`)).status).toBe(404)
    expect(await auditOf(group.group_id)).toEqual(['group.create', 'group.update', 'group.delete'])
  })

  test('says of each member and role what was done, and by which group a user has a role', async () => {
    const [group, user] = [await addGroup(), await world.addUser()]
    const members = await change(`groups/${group.group_id}/members`, { add: [user.user_id, 'nobody'] })
    expect(outcomesIn(members.body.added)).toEqual(['done', 'refused'])
    const roles = ['writer', 'none'].map((role) => ({ resource_id: resourceId, role }))
    const given = await change(`groups/${group.group_id}/roles`, { give: roles })
    expect(outcomesIn(given.body.given)).toEqual(['done', 'refused'])
    const own = await change(`resources/${resourceId}/roles/reader/holders`, {
      give: [{ user_id: user.user_id }],
    })
    expect(outcomesIn(own.body.given)).toEqual(['done'])
    const path = `/admin/api/users/${user.user_id}/roles`
    const shown = { resource: identifier, in_effect: true }
    expect((await world.done(`GET`, path)).items).toMatchObject([{ ...shown, role: 'reader' }])
    expect((await world.done(`GET`, `${path}?effective=true`)).items).toMatchObject([
      { ...shown, role: 'reader' },
      { ...shown, role: 'writer', group_id: group.group_id, group_name: group.name },
    ])
    const holders = `/admin/api/resources/${resourceId}/roles/writer/holders`
    expect((await world.done('GET', holders)).items).toMatchObject([
      { group_id: group.group_id, name: group.name },
    ])
    expect((await world.done('GET', `/admin/api/users/${user.user_id}/groups`)).items).toMatchObject([
      { name: group.name },
    ])
    expect(await auditOf(group.group_id)).toEqual(['group.create', 'group.members.add', 'role.give'])
    expect(await auditOf(user.user_id)).toEqual(['user.create', 'role.give'])
  })

  test('lets support only look', async () => {
    const support = await world.addUser()
    await world.done('PATCH', `/admin/api/users/${support.user_id}`, { admin_role: 'support' })
    const who = await sessionOf(world.system, support.username, support.password)
    const give = [{ resource_id: resourceId, role: 'reader' }]
    expect((await change(`users/${support.user_id}/roles`, { give }, who)).status).toBe(403)
    expect((await world.api(who, 'GET', `/admin/api/users/${support.user_id}/roles`)).status).toBe(200)
    expect((await world.api(who, 'POST', '/admin/api/groups', { name: 'Mine' })).status).toBe(403)
  })

  test('lets a program give roles to users, but not to administrators', async () => {
    const [support, user, group] = [await world.addUser(), await world.addUser(), await addGroup()]
    await world.done('PATCH', `/admin/api/users/${support.user_id}`, { admin_role: 'support' })
    const who = bearer(await issueToken(world.system, await directoryClient()))
    const give = [{ resource_id: resourceId, role: 'reader' }]
    const toSupport = await change(`users/${support.user_id}/roles`, { give }, who)
    expect(toSupport.body.given).toMatchObject([
      { outcome: 'refused', reason: expect.stringContaining('role owner') },
    ])
    const join = { add: [support.user_id, user.user_id] }
    const joined = await change(`groups/${group.group_id}/members`, join, who)
    expect(outcomesIn(joined.body.added)).toEqual(['refused', 'done'])
    expect(outcomesIn((await change(`users/${user.user_id}/roles`, { give }, who)).body.given)).toEqual([
      'done',
    ])
    await change(`groups/${group.group_id}/members`, join)
    const byGroup = await change(`groups/${group.group_id}/roles`, { give }, who)
    expect(outcomesIn(byGroup.body.given)).toEqual(['refused'])
    const refused = await world.api(who, 'PATCH', `/admin/api/groups/${group.group_id}`, {
      name: 'Admins of notes',
    })
    expect([refused.status, refused.body]).toMatchObject([403, { error: 'access_denied' }])
  })

  test('nobody has a role that is deleted and made anew', async () => {
    const user = await world.addUser()
    const made = { identifier: 'https://anew.example/', scopes: [{ scope: 'anew', description: 'Anew' }] }
    const roles = [{ name: 'chief', scopes: ['anew'] }]
    const { resource_id: id } = await world.done<{ resource_id: string }>('POST', '/admin/api/resources', {
      ...made,
      roles,
    })
    await change(`users/${user.user_id}/roles`, { give: [{ resource_id: id, role: 'chief' }] })
    for (const next of [[], roles]) await world.done('PATCH', `/admin/api/resources/${id}`, { roles: next })
    expect((await world.done('GET', `/admin/api/users/${user.user_id}/roles`)).items).toEqual([])
  })

  test('a resource server that is deleted leaves no roles', async () => {
    const user = await world.addUser()
    const { resource_id: id } = await world.done<{ resource_id: string }>('POST', '/admin/api/resources', {
      identifier: identifierOfOther,
      scopes: [{ scope: 'other', description: 'Other' }],
      roles: [{ name: 'reader', scopes: ['other'] }],
    })
    await change(`users/${user.user_id}/roles`, { give: [{ resource_id: id, role: 'reader' }] })
    await world.done('DELETE', `/admin/api/resources/${id}`)
    expect((await world.done('GET', `/admin/api/users/${user.user_id}/roles`)).items).toEqual([])
  })
})

describe('a token that was made by a role', () => {
  test('ends when the role is taken, when its user leaves the group, and when the group is deleted', async () => {
    const user = await world.addUser()
    const path = `users/${user.user_id}/roles`
    const reader = [{ resource_id: resourceId, role: 'reader' }]
    expect(await tokenFor(user)).toMatchObject({ error: expect.any(String) })
    await change(path, { give: reader })
    const own = await tokenFor(user)
    expect(own.scope).toBe('notes:read')
    expect(await isActiveFor(world, own.access_token)).toBe(true)
    await change(path, { take: reader })
    expect(await isActiveFor(world, own.access_token)).toBe(false)

    const group = await addGroup()
    const members = `groups/${group.group_id}/members`
    await change(`groups/${group.group_id}/roles`, { give: [{ resource_id: resourceId, role: 'writer' }] })
    await change(members, { add: [user.user_id] })
    const byGroup = await tokenFor(user)
    expect(byGroup.scope).toBe('notes:read notes:write')
    await change(members, { remove: [user.user_id] })
    expect(await isActiveFor(world, byGroup.access_token)).toBe(false)

    await change(members, { add: [user.user_id] })
    const last = await tokenFor(user)
    expect(await isActiveFor(world, last.access_token)).toBe(true)
    await world.done('DELETE', `/admin/api/groups/${group.group_id}`)
    await until(async () => !(await isActiveFor(world, last.access_token)), 1_000)
    expect(await tokenFor(user)).toMatchObject({ error: expect.any(String) })
  })
})

describe('the command line', () => {
  const { gatehouse, json } = gatehouseCommand(() => ({
    ...{
      GATEHOUSE_URL: world.system.baseUrl,
      GATEHOUSE_USERNAME: rootName,
      GATEHOUSE_PASSWORD: rootPassword,
    },
  }))

  test('creates, shows, lists, updates and deletes groups by their names', async () => {
    const made = await json('groups', 'create', 'Writers', '--description', 'They write.')
    expect(made).toMatchObject({ name: 'Writers', description: 'They write.', revision: 1 })
    expect(await json('groups', 'show', 'WRITERS')).toEqual(made)
    expect(await json('groups', 'update', 'writers', '--name', 'Authors')).toMatchObject({ name: 'Authors' })
    expect((await gatehouse(['groups', 'list', '--search', 'auth'])).out).toMatch(/Authors +They write\./)
    await json('groups', 'delete', made.group_id, '--yes')
    expect((await gatehouse(['groups', 'show', 'Authors'])).code).toBe(4)
  })

  test('adds and removes members, and gives and takes roles', async () => {
    const [one, two] = [await world.addUser(), await world.addUser()]
    await json('groups', 'create', 'Readers')
    await json('groups', 'add-member', 'readers', one.username, two.user_id)
    const again = await gatehouse(['groups', 'add-member', 'readers', one.username])
    expect([again.code, again.out]).toEqual([0, `${one.username} is in Readers, as before.\n`])
    expect((await json('groups', 'members', 'readers', '--search', one.username)).items).toHaveLength(1)
    expect((await json('groups', 'of', two.username)).items).toMatchObject([{ name: 'Readers' }])
    await json('groups', 'remove-member', 'Readers', two.username)

    await json('roles', 'give', identifier, 'reader', '--user', two.username, '--group', 'readers')
    expect((await json('roles', 'list', two.username)).items).toMatchObject([{ role: 'reader' }])
    expect((await json('roles', 'list', one.username)).items).toEqual([])
    const effective = await gatehouse(['roles', 'list', one.username, '--effective'])
    expect(effective.out).toMatch(/notes\.example\/ +reader +Readers +yes/)
    expect((await json('roles', 'list-group', 'readers')).items).toMatchObject([{ role: 'reader' }])
    const holders = await gatehouse(['roles', 'holders', resourceId, 'reader'])
    expect(holders.out).toMatch(new RegExp(`user +${two.user_id} +${two.username}`))
    await json('roles', 'take', identifier, 'reader', '--user', two.username)
    expect((await json('roles', 'list', two.username)).items).toEqual([])

    const forNotes = ['users', 'token-preview', one.username, client.client_id, '--resource', identifier]
    const preview = (await gatehouse(forNotes)).out
    expect([preview.startsWith('Access token:\n{\n'), preview.includes('"scope": "notes:read"')]).toEqual([
      true,
      true,
    ])
    const nothing = await gatehouse([...forNotes, '--scope', 'notes:write'])
    expect(nothing.out).toBe('No tokens: The user has no role that gives this scope.\n')

    const unknown = await gatehouse(['roles', 'give', identifier, 'emperor', '--user', two.username])
    expect([unknown.code, unknown.err]).toEqual([4, expect.stringContaining('There is no such role.')])
    await json('users', 'set-role', one.username, 'support')
    const asOne = { GATEHOUSE_USERNAME: one.username, GATEHOUSE_PASSWORD: one.password }
    const asSupport = await gatehouse(['roles', 'give', resourceId, 'reader', '--user', two.username], asOne)
    expect([asSupport.code, asSupport.err]).toEqual([3, expect.stringContaining('Roles that do: Owner.')])

    const { client_id: id, client_secret: secret } = await directoryClient()
    const asClient = {
      ...{ GATEHOUSE_CLIENT_ID: id, GATEHOUSE_CLIENT_SECRET: secret },
      ...{ GATEHOUSE_USERNAME: '', GATEHOUSE_PASSWORD: '' },
    }
    const both = ['--user', two.username, one.username]
    const refused = await gatehouse(['roles', 'give', identifier, 'reader', ...both], asClient)
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('1 of 2 were refused.')])
    expect(refused.out).toMatch(
      new RegExp(`${two.username} has the role reader\\.\\n.*${one.username}.*role owner`),
    )
    expect((await gatehouse(['roles', 'give', identifier, 'reader'])).code).toBe(2)
    expect((await gatehouse(['roles', 'give', identifier, 'reader', '--group', 'none'])).code).toBe(4)
  })
})
