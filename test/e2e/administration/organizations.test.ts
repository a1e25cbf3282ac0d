import { gatehouseCommand } from '@gatehouse/test/programs/gatehouse-command'
import type { RegisteredClient } from '@gatehouse/test/system'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type AdminWorld,
  type Credentials,
  type Items,
  rootName,
  rootPassword,
  sessionOf,
  startAdminWorld,
} from './admin-world.ts'

let world: AdminWorld
let resourceId: string
beforeAll(async () => {
  world = await startAdminWorld({
    OAUTH2_RESOURCE_INDICATORS: 'registered',
    OAUTH2_ORGANIZATIONS_ENABLED: 'true',
  })
  const resource = {
    ...{ identifier: 'https://notes.example/', scopes: [{ scope: 'notes:read', description: 'Read' }] },
    roles: [{ name: 'reader', scopes: ['notes:read'] }],
  }
  resourceId = (await world.done<{ resource_id: string }>('POST', '/admin/api/resources', resource))
    .resource_id
})
afterAll(() => world?.stop())

type Organization = { organization_id: string; slug: string; revision: number; disabled: boolean }
let made = 0
const addOrganization = () => {
  made += 1
  const body = { slug: `acme-${made}`, name: `Acme ${made}` }
  return world.done<Organization>('POST', '/admin/api/organizations', body)
}
const ask = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object, who?: Credentials) =>
  world.api<Record<string, unknown>>(who ?? world.root, method, `/admin/api/${path}`, body)

describe('the API', () => {
  test('creates, finds, changes and deletes organizations, with an entry in the audit log for each', async () => {
    const { organization_id: id, slug } = await addOrganization()
    const list = await world.done<Items<Organization>>('GET', `/admin/api/organizations?search=${slug}`)
    expect(list.items).toMatchObject([{ organization_id: id, slug, disabled: false, revision: 1 }])
    const change = { slug: `${slug}-new`, attributes: { plan: 'gold' }, disabled: true, revision: 1 }
    expect((await ask('PATCH', `organizations/${id}`, change)).body).toMatchObject({
      revision: 2,
      disabled: true,
    })
    expect((await ask('PATCH', `organizations/${id}`, change)).status).toBe(409)
    expect((await ask('POST', 'organizations', { slug: `${slug}-new`, name: 'Other' })).body).toMatchObject({
      error_description: 'slug is that of another organization.',
    })
    expect((await ask('DELETE', `organizations/${id}`)).status).toBe(204)
    for (const named of [id, slug, 'org_unknown'])
      expect((await ask('GET', `organizations/${named}`)).status).toBe(404)
    const { items } = await world.done<Items<{ action: string }>>('GET', `/admin/api/audit?target=${id}`)
    const actions = ['organization.delete', 'organization.update', 'organization.create']
    expect(items.map(({ action }) => action)).toEqual(actions)
  })

  test('has members, groups and roles in an organization, which only its members have', async () => {
    const [{ organization_id: id }, other] = [await addOrganization(), await addOrganization()]
    const [owner, member, stranger] = [await world.addUser(), await world.addUser(), await world.addUser()]
    const set = [
      { user_id: owner.user_id, role: 'owner' },
      { user_id: member.user_id, role: 'member', attributes: { department: 'Sales' } },
    ]
    expect((await ask('PATCH', `organizations/${id}/members`, { set })).body.set).toMatchObject([
      { outcome: 'done' },
      { outcome: 'done' },
    ])
    const last = await ask('PATCH', `organizations/${id}/members`, { remove: [owner.user_id] })
    expect(last.body.removed).toMatchObject([{ outcome: 'refused' }])
    const { items } = await world.done<Items<object>>(
      'GET',
      `/admin/api/users/${member.user_id}/organizations`,
    )
    expect(items).toMatchObject([{ organization: { organization_id: id }, role: 'member' }])

    const path = `organizations/${id}/groups`
    const group = (await ask('POST', path, { name: 'Developers' })).body.group_id
    const add = [member.user_id, stranger.user_id]
    expect((await ask('PATCH', `${path}/${group}/members`, { add })).body.added).toMatchObject([
      { outcome: 'done' },
      { outcome: 'refused', reason: 'The user is not a member of the organization.' },
    ])
    const give = [{ resource_id: resourceId, role: 'reader' }]
    const roles = (userId: string) => `organizations/${id}/members/${userId}/roles`
    expect((await ask('PATCH', roles(member.user_id), { give })).body.given).toMatchObject([
      { outcome: 'done' },
    ])
    expect((await ask('PATCH', `${path}/${group}/roles`, { give })).body.given).toMatchObject([
      { outcome: 'done' },
    ])
    expect((await ask('GET', `${roles(member.user_id)}?effective=true`)).body.items).toHaveLength(2)
    const holders = `resources/${resourceId}/roles/reader/holders`
    expect((await ask('GET', `organizations/${id}/${holders}`)).body.items).toHaveLength(2)
    expect((await ask('GET', holders)).body.items).toEqual([])

    // A group of one place is not found in another.
    for (const foreign of [
      `organizations/${other.organization_id}/groups/${group}`,
      `groups/${group}`,
      roles(stranger.user_id),
      `organizations/${id}/members/${stranger.user_id}/groups`,
      `organizations/${id.replace(/.$/, (last) => (last === '0' ? '1' : '0'))}/groups`,
    ])
      expect([foreign, (await ask('GET', foreign)).status]).toEqual([foreign, 404])
    expect((await ask('PATCH', roles(stranger.user_id), { give })).status).toBe(404)
  })

  test('invites people and adds domains', async () => {
    const { organization_id: id } = await addOrganization()
    const domains = `organizations/${id}/domains`
    expect((await ask('POST', domains, { domain: 'Acme.Example.COM' })).body).toMatchObject({
      ...{
        domain: 'acme.example.com',
        state: 'unproven',
        record_name: expect.stringContaining('acme.example.com'),
      },
    })
    expect((await ask('GET', domains)).body.items).toHaveLength(1)
    expect((await ask('DELETE', `${domains}/acme.example.com`)).status).toBe(204)
    expect((await ask('DELETE', `${domains}/acme.example.com`)).status).toBe(404)
    const roles = [{ resource_id: resourceId, role: 'emperor' }]
    const invited = await ask('POST', `organizations/${id}/invitations`, { email: 'ann@example.com', roles })
    expect([invited.status, invited.body.error_description]).toEqual([
      400,
      'roles has a role that no resource server has: emperor.',
    ])
    expect((await ask('GET', `organizations/${id}/invitations`)).body).toEqual({ items: [] })
  })

  test('lets a part of the administration do it alone: its scope, and nobody with a role', async () => {
    const { organization_id: id } = await addOrganization()
    const support = await world.addUser()
    await ask('PATCH', `users/${support.user_id}`, { admin_role: 'support' })
    const who = await sessionOf(world.system, support.username, support.password)
    expect((await ask('GET', `organizations/${id}`, undefined, who)).status).toBe(200)
    expect((await ask('PATCH', `organizations/${id}`, { name: 'Mine' }, who)).status).toBe(403)
    const client = await world.done<RegisteredClient>('POST', '/admin/api/clients', {
      ...{ client_name: 'CRM', grant_types: ['client_credentials'], scope: 'admin:organizations:write' },
    })
    const { gatehouse } = gatehouseCommand(() => ({
      ...{ GATEHOUSE_URL: world.system.baseUrl, GATEHOUSE_CLIENT_ID: client.client_id },
      ...{ GATEHOUSE_CLIENT_SECRET: client.client_secret ?? '' },
    }))
    expect((await gatehouse(['organizations', 'create', 'by-crm'])).out).toContain('by-crm')
    expect((await gatehouse(['organizations', 'list'])).code).toBe(3)
  })
})

describe('the command line', () => {
  const { gatehouse, json } = gatehouseCommand(() => ({
    GATEHOUSE_URL: world.system.baseUrl,
    GATEHOUSE_USERNAME: rootName,
    GATEHOUSE_PASSWORD: rootPassword,
  }))

  test('creates, shows, lists, updates, disables and deletes organizations by their slugs', async () => {
    const options = ['--name', 'Globex Inc.', '--attribute', 'plan=gold', '--attribute', 'number=1=2']
    const created = await json('organizations', 'create', 'globex', ...options)
    expect(created).toMatchObject({ slug: 'globex', attributes: { plan: 'gold', number: '1=2' } })
    expect(await json('organizations', 'show', 'GLOBEX')).toEqual(created)
    expect(await json('organizations', 'show', created.organization_id)).toEqual(created)
    const update = ['--slug', 'globex-2', '--color', '#0B5CAD', '--attribute', '']
    expect(await json('organizations', 'update', 'globex', ...update)).toMatchObject({
      ...{ slug: 'globex-2', color: '#0b5cad', attributes: {} },
    })
    expect((await json('organizations', 'update', 'globex-2', '--color', '')).color).toBeUndefined()
    await json('organizations', 'disable', 'globex-2')
    expect((await gatehouse(['organizations', 'list', '--disabled', 'true'])).out).toMatch(
      /globex-2 +Globex Inc\./,
    )
    expect(await json('organizations', 'enable', 'globex-2')).toMatchObject({ disabled: false })
    await json('organizations', 'delete', 'globex-2', '--yes')
    expect((await gatehouse(['organizations', 'show', 'globex-2'])).code).toBe(4)
    expect((await gatehouse(['organizations', 'create', 'x', '--attribute', 'none'])).code).toBe(2)
  })

  test('adds and removes members', async () => {
    const [one, two] = [await world.addUser(), await world.addUser()]
    await json('organizations', 'create', 'initech')
    await json('organizations', 'add-member', 'initech', one.username, '--role', 'owner')
    await json('organizations', 'add-member', 'initech', two.username)
    const again = await gatehouse(['organizations', 'add-member', 'initech', two.username])
    expect([again.code, again.out]).toEqual([0, `${two.username} is member of initech, as before.\n`])
    expect((await json('organizations', 'members', 'initech', '--search', one.username)).items).toMatchObject(
      [{ role: 'owner' }],
    )
    expect((await gatehouse(['organizations', 'of', two.username])).out).toMatch(/initech +initech +member/)
    const refused = await gatehouse(['organizations', 'remove-member', 'initech', one.username, two.username])
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('1 of 2 were refused.')])
    expect((await json('organizations', 'members', 'initech')).total).toBe(1)
  })

  test('has groups and roles in an organization by an option of their commands', async () => {
    const [one, stranger] = [await world.addUser(), await world.addUser()]
    await json('organizations', 'create', 'stark')
    await json('organizations', 'add-member', 'stark', one.username)
    const here = ['--organization', 'stark']
    await json('groups', 'create', 'Builders', ...here)
    expect((await gatehouse(['groups', 'show', 'Builders'])).code).toBe(4)
    await json('groups', 'add-member', 'builders', one.username, ...here)
    const refused = await gatehouse(['groups', 'add-member', 'builders', stranger.username, ...here])
    expect(refused.out).toContain('The user is not a member of the organization.')
    expect((await json('groups', 'members', 'builders', ...here)).items).toMatchObject([
      { user_id: one.user_id },
    ])
    expect((await json('groups', 'of', one.username, ...here)).items).toMatchObject([{ name: 'Builders' }])
    const who = ['--user', one.username, '--group', 'builders']
    await json('roles', 'give', resourceId, 'reader', ...who, ...here)
    expect((await json('roles', 'list', one.username, '--effective', ...here)).items).toHaveLength(2)
    expect((await json('roles', 'list', one.username)).items).toEqual([])
    expect((await json('roles', 'holders', resourceId, 'reader', ...here)).items).toHaveLength(2)
    await json('roles', 'take', resourceId, 'reader', '--user', one.username, ...here)
    expect((await json('roles', 'list-group', 'builders', ...here)).items).toMatchObject([{ role: 'reader' }])
    await json('groups', 'update', 'builders', '--name', 'Makers', ...here)
    await json('groups', 'delete', 'makers', '--yes', ...here)
    expect((await json('groups', 'list', ...here)).items).toEqual([])
    expect((await gatehouse(['groups', 'list', '--organization', 'none'])).code).toBe(4)
    expect((await gatehouse(['roles', 'import', 'x.json', ...here])).code).toBe(2)
  })

  test('invites people, and adds domains', async () => {
    await json('organizations', 'create', 'hooli')
    const invited = await json('organizations', 'invite', 'hooli', 'Ben@example.com', '--role', 'admin')
    expect(invited).toMatchObject({ email: 'Ben@example.com', role: 'admin' })
    expect((await gatehouse(['organizations', 'invitations', 'hooli'])).out).toMatch(
      /Ben@example\.com +admin +root/,
    )
    const again = await json('organizations', 'resend-invitation', 'hooli', 'ben@example.com')
    expect(again.invitation_id).toBe(invited.invitation_id)
    await json('organizations', 'withdraw-invitation', 'hooli', 'ben@example.com')
    expect((await json('organizations', 'invitations', 'hooli')).items).toEqual([])
    expect((await gatehouse(['organizations', 'withdraw-invitation', 'hooli', 'ben@example.com'])).code).toBe(
      4,
    )

    const added = await gatehouse(['organizations', 'add-domain', 'hooli', 'hooli.example'])
    expect(added.out).toMatch(/TXT record +\S+hooli\.example\n/)
    expect((await gatehouse(['organizations', 'domains', 'hooli'])).out).toMatch(/hooli\.example +unproven/)
    await json('organizations', 'remove-domain', 'hooli', 'hooli.example')
    expect((await json('organizations', 'domains', 'hooli')).items).toEqual([])
  })

  test('applies and exports organizations with their groups, and prunes none', async () => {
    const file = (groups: string, rest = '') =>
      `organizations: [{ slug: umbrella, name: Umbrella, ${rest} groups: [${groups}] }]`
    const apply = (content: string, ...words: string[]) =>
      gatehouse(['apply', '-f', '-', '--yes', ...words], {}, content)
    const groups = async () =>
      (await json('organizations', 'groups', 'umbrella')).items.map(({ name }: { name: string }) => name)
    expect((await apply(file('{ name: Ops }, { name: Dev, description: They write. }'))).out).toBe(
      'Created organization umbrella.\n',
    )
    expect(await groups()).toEqual(['Dev', 'Ops'])
    expect((await apply(file('{ name: Dev, description: They write. }, { name: Ops }'))).out).toBe(
      'Everything is as declared.\n',
    )
    const changed = await apply(file('{ name: DEV }, { name: QA }', 'color: "#0b5cad", disabled: true,'))
    expect(changed.out).toBe('Updated organization umbrella.\n')
    expect(await groups()).toEqual(['DEV', 'QA'])
    const exported = (await gatehouse(['export'])).out
    expect(exported).toMatch(
      /- slug: umbrella\n +name: Umbrella\n +color: "#0b5cad"\n +disabled: true\n +groups:/,
    )
    expect((await apply(exported)).out).toBe('Everything is as declared.\n')
    const plan = await gatehouse(['apply', '-f', '-', '--dry-run', '--prune'], {}, 'organizations: []')
    expect(plan.out).not.toContain('- organization')
  })
})
