import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gatehouseCommand } from '@gatehouse/test/programs/gatehouse-command'
import { sharedAdmin, type TestSystem } from '@gatehouse/test/system'
import { beforeAll, describe, expect, test } from 'vitest'
import { startProvider } from '../openid/openid-world.ts'

/** A realm as Keycloak 26 exports it, with names of its own for each test. */
function exportedRealm(others: object[] = []) {
  const mark = randomUUID().slice(0, 8)
  const [realm, shop, orders, nightly] = ['staff', 'shop', 'orders', 'nightly'].map(
    (name) => `${name}-${mark}`,
  )
  const name = (text: string) => `${text}-${mark}`
  const [ann, bob] = [randomUUID(), randomUUID()]
  const usual = `default-roles-${realm}`
  const role = (name: string, more: object = {}) => ({
    ...{ id: randomUUID(), name, description: '', composite: false, clientRole: false, containerId: realm },
    ...{ attributes: {}, ...more },
  })
  const common = { enabled: true, totp: false, credentials: [], requiredActions: [], realmRoles: [usual] }
  const client = (clientId: string | undefined, more: object = {}) => ({
    ...{ id: randomUUID(), clientId, enabled: true, protocol: 'openid-connect', publicClient: false },
    ...{ clientAuthenticatorType: 'client-secret', secret: randomUUID(), fullScopeAllowed: true },
    ...{ standardFlowEnabled: true, redirectUris: ['https://shop.example/callback'], bearerOnly: false },
    ...{ defaultClientScopes: ['profile', 'roles', 'email'], optionalClientScopes: [], ...more },
  })
  const document = {
    ...{ id: randomUUID(), realm, enabled: true, defaultGroups: [`/${name('everybody')}`] },
    defaultRole: role(usual, { composite: true, description: '\u0024{role_default-roles}' }),
    roles: {
      realm: [
        role('offline_access', { description: '\u0024{role_offline-access}' }),
        role('uma_authorization'),
        role(usual, {
          composite: true,
          composites: {
            realm: ['offline_access', 'uma_authorization', 'employee'],
            client: { account: ['view-profile'] },
          },
        }),
        role('employee', { description: 'Works here' }),
        role('boss', { composite: true, composites: { client: { [orders ?? '']: ['editor'] } } }),
        role('two words'),
      ],
      client: {
        [orders ?? '']: [role('editor', { clientRole: true }), role('ops/on-call', { clientRole: true })],
        account: [role('view-profile', { clientRole: true })],
        'realm-management': [role('realm-admin', { clientRole: true })],
        [shop ?? '']: [],
      },
    },
    groups: [
      { id: randomUUID(), name: name('everybody'), path: `/${name('everybody')}`, subGroups: [] },
      {
        ...{ id: randomUUID(), name: name('sales'), path: `/${name('sales')}`, attributes: { floor: ['3'] } },
        ...{ realmRoles: ['boss'], clientRoles: {} },
        subGroups: [
          {
            ...{ id: randomUUID(), name: 'emea', path: `/${name('sales')}/emea`, attributes: {} },
            ...{ realmRoles: [], clientRoles: { [orders ?? '']: ['ops/on-call'] }, subGroups: [] },
          },
        ],
      },
    ],
    users: [
      { ...common, id: ann, username: name('ann'), groups: [`/${name('sales')}/emea`] },
      {
        ...{ ...common, id: bob, username: name('bob'), groups: [] },
        realmRoles: [usual, 'boss'],
        clientRoles: { 'realm-management': ['realm-admin'] },
      },
      {
        ...{ ...common, id: randomUUID(), username: `service-account-${nightly}` },
        ...{ serviceAccountClientId: nightly, clientRoles: { [orders ?? '']: ['editor'] } },
      },
      ...others.map((more) => ({ ...common, ...more })),
    ],
    clients: [
      client('account'),
      client('realm-management', { bearerOnly: true }),
      client(shop),
      client(orders, { bearerOnly: true }),
      client(nightly, { standardFlowEnabled: false, serviceAccountsEnabled: true, redirectUris: [] }),
    ],
  }
  return { document, name, realm, shop, orders, nightly, ann, bob }
}

describe('gatehouse roles import', { timeout: 60_000 }, () => {
  let system: TestSystem
  let directory: string
  beforeAll(async () => {
    ;({ system } = await startProvider())
    directory = await mkdtemp(join(tmpdir(), 'gatehouse-import-'))
  })

  const { gatehouse } = gatehouseCommand(() => ({
    GATEHOUSE_URL: system.baseUrl,
    GATEHOUSE_PASSWORD: sharedAdmin.password,
  }))
  const file = async (document: object) => {
    const path = join(directory, `${randomUUID()}.json`)
    await writeFile(path, JSON.stringify(document))
    return path
  }

  type Line = Record<string, string>
  /** Imports a part of a realm, and reads the summary and the report. */
  async function load(part: 'users' | 'clients' | 'roles', path: string, ...options: string[]) {
    const report = join(directory, `${randomUUID()}.ndjson`)
    const { code, out, err } = await gatehouse([
      part,
      'import',
      path,
      '--report',
      report,
      '--json',
      ...options,
    ])
    const lines = (await readFile(report, 'utf8')).trim().split('\n')
    return { code, err, counts: JSON.parse(out || '{}'), lines: lines.map((line): Line => JSON.parse(line)) }
  }
  const read = async (...words: string[]) => {
    const { code, out, err } = await gatehouse([...words, '--json'])
    expect([code, err]).toEqual([0, ''])
    return JSON.parse(out)
  }
  const rolesOf = async (user: string) =>
    ((await read('roles', 'list', user, '--effective')).items as Line[])
      .map(({ resource, role, group_name: group }) => [resource, role, group].filter(Boolean).join(' '))
      .sort()

  test('brings groups, roles, those who have them and those of service accounts, as apps of Keycloak read them', async () => {
    const { document, name, realm, shop, orders, nightly, ann, bob } = exportedRealm()
    const path = await file(document)
    for (const part of ['users', 'clients'] as const) expect((await load(part, path)).code).toBe(0)

    const api = `https://${orders}.example`
    const options = ['--identifier', `${orders}=${api}`]
    const tried = await load('roles', path, '--dry-run', ...options)
    expect(tried.counts).toMatchObject({ dry_run: true, invalid: 1 })
    expect((await gatehouse(['resources', 'show', api])).code).toBe(4)

    const done = await load('roles', path, ...options)
    expect([done.code, done.err]).toEqual([1, '1 could not be imported.\n'])
    const own = `urn:keycloak:${realm}`
    expect(done.lines.filter(({ outcome }) => outcome === 'invalid')).toEqual([
      expect.objectContaining({ role: 'two words', reason: expect.stringContaining('must be a word') }),
    ])
    expect(done.lines.filter(({ outcome }) => outcome === 'skipped')).toEqual([
      expect.objectContaining({ username: name('bob'), role: 'realm-management realm-admin' }),
    ])
    const notes = done.lines.flatMap(({ outcome, reason }) => (outcome === 'noted' ? [reason] : []))
    expect(notes.join('\n')).toMatch(/Keycloak’s own clients are left out: account, realm-management/)
    expect(notes.join('\n')).toMatch(/Every user of the realm had the roles employee/)
    expect(done.lines.find(({ role, resource }) => role === 'boss' && resource === own)).toMatchObject({
      outcome: 'created',
      reason: expect.stringContaining(
        `composite role: those who have it get its parts as roles of their own: ${orders} editor.`,
      ),
    })

    const [sales, emea] = [name('sales'), `${name('sales')}/emea`]
    expect(await rolesOf(ann)).toEqual(
      [
        `${api} editor ${emea}`,
        `${api} ops/on-call ${emea}`,
        `${own} boss ${emea}`,
        `${own} employee`,
      ].sort(),
    )
    expect(await rolesOf(bob)).toEqual([`${api} editor`, `${own} boss`, `${own} employee`].sort())
    const held = (await read('roles', 'list-group', sales)).items as Line[]
    expect(held.map(({ role }) => role).sort()).toEqual(['boss', 'editor'])
    expect(await read('clients', 'show', nightly ?? '')).toMatchObject({
      roles: [
        { resource: own, role: 'employee' },
        { resource: api, role: 'editor' },
      ],
      scope: expect.stringContaining(`use:${orders}`),
    })

    const preview = ['users', 'token-preview', ann, shop ?? '', '--scope', 'openid roles']
    expect((await read(...preview)).id_token).toMatchObject({ realm_access: { roles: ['boss', 'employee'] } })
    await read('clients', 'change', shop ?? '', '--scope', `openid roles use:${orders}`)
    const look = ['users', 'token-preview', ann, shop ?? '', '--resource', api, '--scope', `use:${orders}`]
    await expect
      .poll(async () => (await read(...look)).access_token)
      .toMatchObject({ aud: api, resource_access: { [orders ?? '']: { roles: ['editor', 'ops/on-call'] } } })

    const again = await load('roles', path, ...options)
    expect(again.counts).toMatchObject({ created: 0, exists: done.counts.created, invalid: 1, skipped: 1 })
  })

  test('names users who are not here, whose name may be that of somebody else, unless the names count', async () => {
    const username = `cleo-${randomUUID()}`
    await load('users', await file({ username }))
    const nobody = `nobody-${randomUUID()}`
    const { document, name, realm } = exportedRealm([
      { id: randomUUID(), username, groups: [] },
      { id: randomUUID(), username: nobody, groups: ['/elsewhere'] },
      { username, groups: 'staff' },
    ])
    const path = await file(document)
    await load('users', await file({ ...document, users: document.users.slice(0, 2) }))
    await load('clients', path)
    const first = await load('roles', path)
    const invalid = (lines: Line[]) =>
      lines.filter(({ outcome }) => outcome === 'invalid').map((line) => [line.username ?? '', line.reason])
    const unknown = expect.stringContaining('no such user: gatehouse users import')
    const always = [
      ['', expect.stringContaining('must be a word')],
      [nobody, 'The files have no such group.'],
      [username, expect.stringContaining('groups: its value is not a list of texts')],
    ]
    expect(invalid(first.lines)).toEqual(
      expect.arrayContaining([[username, unknown], [nobody, unknown], ...always]),
    )
    expect(invalid(first.lines)).toHaveLength(5)
    const second = await load('roles', path, '--by-name')
    expect(invalid(second.lines)).toEqual(expect.arrayContaining([[nobody, unknown], ...always]))
    expect(invalid(second.lines)).toHaveLength(4)
    expect(await rolesOf(username)).toEqual([`urn:keycloak:${realm} employee`])
    expect(second.lines.find(({ group }) => group === name('everybody'))).toMatchObject({ outcome: 'exists' })
  })

  test('gives a role and a group to more users than a request may name', async () => {
    const users = Array.from({ length: 1_203 }, (_, index) => ({
      ...{ id: randomUUID(), username: `many-${index}-${randomUUID()}`, groups: ['/crowd'] },
    }))
    const { document, name, realm } = exportedRealm(users.map((user) => ({ ...user, groups: [] })))
    const crowd = {
      ...document,
      users: document.users.map((user) => ({ ...user, groups: [`/${name('everybody')}`] })),
    }
    const path = await file(crowd)
    expect((await load('users', path)).counts.created).toBe(1_205)
    await load('clients', path)
    const { counts, lines } = await load('roles', path, '--parallel', '2')
    expect(counts.invalid).toBe(1)
    const members = lines.filter(({ group, username }) => group === name('everybody') && username)
    expect(members.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 1_205 }, () => 'created'))
    expect(await rolesOf(users[1_202]?.id ?? '')).toEqual([`urn:keycloak:${realm} employee`])
  })

  test.each([
    ['standard input', ['-'], 'read twice'],
    ['a file of users alone', [JSON.stringify({ realm: 'x', users: [] })], 'no groups and no roles'],
    [
      'an identifier for nobody',
      [JSON.stringify({ realm: 'x', roles: { realm: [{ name: 'a' }] } }), '--identifier', 'b=urn:x:y'],
      'no client b with roles',
    ],
  ])('%s is an error', async (_, [first = '', ...options], message) => {
    const path = first === '-' ? first : await file(JSON.parse(first))
    const { code, err } = await gatehouse(['roles', 'import', path, ...options])
    expect([code > 0, err]).toEqual([true, expect.stringContaining(message)])
  })
})
