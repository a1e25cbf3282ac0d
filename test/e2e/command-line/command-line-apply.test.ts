import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { issueToken } from '@gatehouse/test/oauth'
import { gatehouseCommand } from '@gatehouse/test/programs/gatehouse-command'
import { sharedAdmin, startTestSystem, type TestSystem } from '@gatehouse/test/system'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const declared = `
clients:
  - client_id: billing
    client_name: Billing
    client_secret: \${GATEHOUSE_BILLING_SECRET}
    grant_types: [client_credentials]
    scope: read write
    contacts: [billing@app.example]
  - client_id: shop
    redirect_uris: [https://shop.example/callback]
    grant_types: [authorization_code, refresh_token]
    scope: read
    disabled: true
resource_servers:
  - identifier: https://orders.example
    name: Orders
    scopes:
      - { scope: "orders:read", description: See your orders }
    client_id: billing
`

describe('gatehouse apply and export', { timeout: 60_000 }, () => {
  let system: TestSystem
  beforeAll(async () => {
    system = await startTestSystem({
      OAUTH2_PROFILE: 'openid',
      OAUTH2_REGISTRATION: 'open',
      OAUTH2_SEED_USERNAME: sharedAdmin.username,
      OAUTH2_SEED_PASSWORD: sharedAdmin.password,
    })
  })
  afterAll(() => system?.stop())

  const secret = 'the secret of billing from a vault'
  const { gatehouse, json } = gatehouseCommand(() => ({
    GATEHOUSE_URL: system.baseUrl,
    GATEHOUSE_PASSWORD: sharedAdmin.password,
    GATEHOUSE_BILLING_SECRET: secret,
  }))
  const apply = (content: string, ...words: string[]) =>
    gatehouse(['apply', '-f', '-', ...words], {}, content)
  const planned = async (content: string, ...words: string[]) =>
    JSON.parse((await apply(content, '--dry-run', '--json', ...words)).out).steps

  test('plans, creates what is declared, and then has nothing to do', async () => {
    const plan = await apply(declared, '--dry-run')
    expect([plan.code, plan.out]).toEqual([
      0,
      '+ client billing\n+ client shop\n+ resource server https://orders.example\n3 to create, 0 to update, 0 to delete.\n',
    ])
    expect((await json('clients', 'list')).items).toEqual([])

    const refused = await apply(declared)
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('Use --yes to confirm.')])
    expect((await json('clients', 'list')).items).toEqual([])

    const { code, out } = await apply(declared, '--yes')
    expect(code).toBe(0)
    expect(out).toContain('Created client billing.\n')
    expect(out).toMatch(/Created client shop\. Secret \(it is not shown again\): \S{40,}\n/)
    expect(out).not.toContain(secret)
    await issueToken(system, { client_id: 'billing', client_secret: secret })
    expect(await json('clients', 'show', 'shop')).toMatchObject({ disabled: true, client_name: 'shop' })
    expect(await planned(declared)).toEqual([])
    expect((await apply(declared, '--yes')).out).toBe('Everything is as declared.\n')
  })

  test('gives clients roles once the resource servers have them, and has nothing to do then', async () => {
    const wanted = `
clients:
  - { client_id: robot, grant_types: [client_credentials], scope: read, roles: [{ role: editor, resource: https://wiki.example }] }
resource_servers:
  - identifier: https://wiki.example
    name: Wiki
    scopes: [{ description: Edit pages, scope: "wiki:edit" }]
    client_id: robot
    roles: [{ scopes: ["wiki:edit"], name: editor }, { name: reader }]
    scopes_by_role: true
    token_claims: [groups, roles]
    claims_shape: keycloak
`
    const { out } = await apply(wanted, '--dry-run')
    expect(out).toBe(
      [
        '+ client robot',
        '+ resource server https://wiki.example',
        '~ client robot',
        '    roles: - → [{"role":"editor","resource":"https://wiki.example"}]',
        '2 to create, 1 to update, 0 to delete.\n',
      ].join('\n'),
    )
    expect((await apply(wanted, '--yes')).code).toBe(0)
    expect(await json('resources', 'show', 'https://wiki.example')).toMatchObject({
      roles: [
        { name: 'editor', description: '', scopes: ['wiki:edit'], organizations_may_give: false },
        { name: 'reader', scopes: [] },
      ],
      ...{ scopes_by_role: true, token_claims: ['roles', 'groups'], claims_shape: 'keycloak' },
    })
    expect(await planned(wanted)).toEqual([])
    expect(await planned((await gatehouse(['export'])).out)).toEqual([])

    const moved = wanted.replace('role: editor', 'role: author').replace('name: editor', 'name: author')
    expect((await apply(moved, '--yes')).code).toBe(0)
    expect(await json('clients', 'show', 'robot')).toMatchObject({ roles: [{ role: 'author' }] })
    const plain = moved.replace(/, roles: \[\{ role.*?\]/, '').replace(/\n {4}roles: [\s\S]*$/, '\n')
    expect((await apply(plain, '--yes')).code).toBe(0)
    expect(await json('clients', 'show', 'robot')).not.toHaveProperty('roles')
    expect(await json('resources', 'show', 'https://wiki.example')).toMatchObject({
      ...{ roles: [], scopes_by_role: false, token_claims: [], claims_shape: 'flat' },
    })
    await gatehouse(['resources', 'delete', 'https://wiki.example', '--yes'])
    await gatehouse(['clients', 'delete', 'robot', '--yes'])
  })

  test('gives the secret of a new client to programs too', async () => {
    const own = 'clients:\n  - client_id: nightly\n    grant_types: [client_credentials]\n    scope: read\n'
    const { code, out } = await apply(`${own}    disabled: true\n`, '--yes', '--json')
    const [step] = JSON.parse(out).steps
    expect([code, step]).toEqual([
      0,
      { action: 'create', kind: 'clients', key: 'nightly', client_secret: expect.any(String), done: true },
    ])
    await apply(own, '--yes')
    await issueToken(system, { client_id: 'nightly', client_secret: step.client_secret })
    await gatehouse(['clients', 'delete', 'nightly', '--yes'])
  })

  test('changes what differs, removes what is not declared any more, and shows both values', async () => {
    const changed = declared
      .replace('scope: read write', 'scope: write read')
      .replace('    contacts: [billing@app.example]\n', '')
      .replace('name: Orders', 'name: Your orders')
      .replace('    disabled: true\n', '')
    const { out } = await apply(changed, '--dry-run')
    expect(out).toBe(
      [
        '~ client billing',
        '    contacts: ["billing@app.example"] → -',
        '~ client shop',
        '    disabled: true → false',
        '~ resource server https://orders.example',
        '    name: "Orders" → "Your orders"',
        '0 to create, 3 to update, 0 to delete.\n',
      ].join('\n'),
    )
    expect((await apply(changed, '--yes')).code).toBe(0)
    expect(await json('clients', 'show', 'billing')).not.toHaveProperty('contacts')
    expect(await planned(changed)).toEqual([])
    await apply(declared, '--yes')
  })

  test('exports what it can apply again', async () => {
    const { out } = await gatehouse(['export'])
    expect(out).toContain('client_id: billing')
    expect(out).not.toMatch(/secret|created_at|revision/)
    expect(await planned(out)).toEqual([])
    const file = join(system.dataDirectory, 'declared.yaml')
    await writeFile(file, out)
    expect((await gatehouse(['apply', '--file', file, '--dry-run'])).out).toBe('Everything is as declared.\n')
    expect((await json('export')).resource_servers).toMatchObject([{ identifier: 'https://orders.example' }])
  })

  test('deletes what no file declares only with --prune, and never what registered itself', async () => {
    const registered = await system.register()
    const left = await json('clients', 'create', '--id', 'left', '--grant-type', 'client_credentials')
    expect(left.client_id).toBe('left')
    expect(await planned(declared)).toEqual([])
    expect(await planned(declared, '--prune')).toEqual([{ action: 'delete', kind: 'clients', key: 'left' }])
    const { out } = await apply(declared, '--prune', '--yes')
    expect(out).toBe('Deleted client left.\n')
    expect((await gatehouse(['clients', 'show', 'left'])).code).toBe(4)
    expect((await json('clients', 'show', registered.client_id)).created_by).toBe('registration')
  })

  test('does not delete the client as which it runs', async () => {
    const operator = await json(
      ...['clients', 'create', '--id', 'deployer', '--grant-type', 'client_credentials', '--scope', 'admin'],
    )
    const as = { GATEHOUSE_CLIENT_ID: 'deployer', GATEHOUSE_CLIENT_SECRET: operator.client_secret }
    const plan = await gatehouse(['apply', '-f', '-', '--prune', '--dry-run'], as, declared)
    expect([plan.code, plan.out]).toEqual([0, 'Everything is as declared.\n'])
    const { access_token: token } = JSON.parse(
      await (
        await system.form(
          '/oauth/token',
          { grant_type: 'client_credentials' },
          { authorization: `Basic ${btoa(`deployer:${operator.client_secret}`)}` },
        )
      ).text(),
    )
    const byToken = await gatehouse(
      ['apply', '-f', '-', '--prune', '--dry-run'],
      { GATEHOUSE_TOKEN: token },
      declared,
    )
    expect([byToken.code, byToken.out]).toEqual([0, 'Everything is as declared.\n'])
    await json('clients', 'delete', 'deployer', '--yes')
  })

  test('one that fails keeps no other from being done, and the command fails', async () => {
    const wrong = `clients:
  - { client_id: wrong, grant_types: [client_credentials], scope: read, access_token_lifetime: 5 }
  - { client_id: right, grant_types: [client_credentials], scope: read }
`
    const { code, out, err } = await apply(wrong, '--yes')
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/^Could not create client wrong: access_token_lifetime/),
    ])
    expect(out).toMatch(/^Created client right\./)
    expect((await gatehouse(['clients', 'show', 'wrong'])).code).toBe(4)
    await json('clients', 'delete', 'right', '--yes')
  })

  test.each([
    [
      'a field that there is not',
      'clients: [{ client_id: a, redirect_uri: x }]',
      'has no field redirect_uri',
    ],
    ['an object without its key', 'clients: [{ client_name: a }]', 'clients[0]: client_id is missing'],
    ['a list that there is not', 'users: []', 'users must be one of clients, resource_servers'],
    ['no list', 'clients: {}', 'clients must be a list'],
    ['the same twice', 'clients: [{ client_id: a }, { client_id: a }]', 'has the same client_id, a'],
    [
      'a variable that is not set',
      `clients: [{ client_id: "\${GATEHOUSE_NOPE}" }]`,
      'the variable GATEHOUSE_NOPE is not set',
    ],
    ['a variable of others', `clients: [{ client_id: "\${HOME}" }]`, 'the variable HOME may not be read'],
    ['no YAML', 'clients: [', 'at line 1'],
    ['a text', 'hello', 'The file must be a mapping of names to values'],
    [
      'another method of authentication',
      'clients: [{ client_id: billing, token_endpoint_auth_method: none, grant_types: [client_credentials] }]',
      'The field token_endpoint_auth_method of the client billing cannot change',
    ],
  ])('refuses %s, and does nothing', async (_, content, message) => {
    const { code, err } = await apply(content, '--yes')
    expect([code, err]).toEqual([2, expect.stringContaining(message)])
  })

  test('says which file cannot be read, and that there is none', async () => {
    const missing = await gatehouse(['apply', '-f', '/nonexistent.yaml'])
    expect([missing.code, missing.err]).toEqual([2, '/nonexistent.yaml cannot be read (ENOENT).\n'])
    expect(await gatehouse(['apply'])).toMatchObject({ code: 2, err: 'Name a file with -f.\n' })
  })

  test('results are shown as a table, as JSON or as YAML', async () => {
    const words = ['clients', 'list', '--search', 'billing']
    expect((await gatehouse(words)).out).toMatch(/^ID +NAME/)
    const yaml = await gatehouse([...words, '--output', 'yaml'])
    expect(yaml.out).toContain('items:\n  - client_id: billing\n')
    const asJson = await gatehouse([...words, '-o', 'json'])
    expect(JSON.parse(asJson.out).items).toHaveLength(1)
    expect((await gatehouse([...words, '-o', 'xml'])).code).toBe(2)
    expect((await gatehouse(['--version'])).out).toMatch(/^\d+\.\d+\.\d+\n$/)
  })
})
