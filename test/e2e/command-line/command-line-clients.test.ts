import { introspectionOf, issueToken } from '@gatehouse/test/oauth'
import { gatehouseCommand } from '@gatehouse/test/programs/gatehouse-command'
import { sharedAdmin, sharedTestSystem, type TestSystem } from '@gatehouse/test/system'
import { beforeAll, describe, expect, test } from 'vitest'

describe('gatehouse clients, resources and tokens', { timeout: 60_000 }, () => {
  let system: TestSystem
  beforeAll(async () => {
    system = await sharedTestSystem()
  })

  const { gatehouse, json } = gatehouseCommand(() => ({
    GATEHOUSE_URL: system.baseUrl,
    GATEHOUSE_PASSWORD: sharedAdmin.password,
  }))

  const machine = ['--grant-type', 'client_credentials', '--scope', 'read write']

  test('creates a client that gets tokens, rotates its secret with an overlap, disables and deletes it', async () => {
    const name = `Billing ${Date.now()}`
    const client = await json('clients', 'create', '--name', name, ...machine)
    expect(client).toMatchObject({ client_name: name, grant_types: ['client_credentials'] })
    await issueToken(system, client)

    const rotated = await json('clients', 'rotate-secret', client.client_id, '--overlap', '600')
    expect(rotated.client_secret).not.toBe(client.client_secret)
    await issueToken(system, client)
    await expect.poll(() => grantedTo(rotated), { timeout: 5_000 }).toBe(200)

    expect((await gatehouse(['clients', 'show', client.client_id])).out).toMatch(/previous secret .*ends/)
    expect((await json('clients', 'end-secret', client.client_id, '--yes')).secrets).toHaveLength(1)
    await expect.poll(() => grantedTo(client), { timeout: 5_000 }).toBe(401)
    expect((await gatehouse(['clients', 'end-secret', client.client_id, '--yes'])).err).toContain(
      'has no previous secret',
    )

    expect((await json('clients', 'list', '--search', name.toLowerCase())).items).toHaveLength(1)
    expect(await json('clients', 'disable', client.client_id)).toMatchObject({ disabled: true })
    await expect.poll(() => grantedTo(rotated), { timeout: 5_000 }).toBe(401)
    expect(await json('clients', 'enable', client.client_id)).toMatchObject({ disabled: false })
    await expect.poll(() => grantedTo(rotated), { timeout: 5_000 }).toBe(200)

    await json('clients', 'delete', client.client_id, '--yes')
    expect((await gatehouse(['clients', 'show', client.client_id])).code).toBe(4)
  })

  test('sets and removes every field of a client’s metadata', async () => {
    const fields = ['--software-version', '1.2', '--contacts', 'a@app.example', '--contacts', 'b@app.example']
    const { client_id: id, ...client } = await json(
      'clients',
      'create',
      '--name',
      'Fields',
      ...machine,
      ...fields,
    )
    expect(client).toMatchObject({ software_version: '1.2', contacts: ['a@app.example', 'b@app.example'] })
    const changes = ['--software-version', '', '--access-token-lifetime', '90', '--scope', 'read']
    const changed = await json('clients', 'change', id, ...changes)
    expect(changed).toMatchObject({ access_token_lifetime: 90, contacts: client.contacts, scope: 'read' })
    expect(changed).not.toHaveProperty('software_version')
    const refused = await gatehouse(['clients', 'change', id, '--access-token-lifetime', '5'])
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('access_token_lifetime must be')])
  })

  test('creates, shows, lists, updates, disables and deletes a resource server', async () => {
    const identifier = 'https://mcp.example.com'
    const scope = ['--scope', 'mcp:tools=Use its tools', '--scope', 'mcp:files=Read a=b']
    const created = await json('resources', 'add', identifier, ...scope, '--token-lifetime', '300')
    expect(created).toMatchObject({
      ...{ identifier, name: 'mcp.example.com', token_lifetime: 300, open_registration: false },
      scopes: [
        { scope: 'mcp:tools', description: 'Use its tools' },
        { scope: 'mcp:files', description: 'Read a=b' },
      ],
    })
    expect((await gatehouse(['resources', 'show', identifier])).out).toContain('Use its tools')
    expect((await json('resources', 'list', '--search', 'mcp')).items).toHaveLength(1)
    const changes = ['--name', 'Tools', '--open-registration', 'true', '--token-lifetime', '0']
    const updated = await json('resources', 'update', created.resource_id, ...changes)
    expect(updated).toMatchObject({ name: 'Tools', open_registration: true })
    expect(updated).not.toHaveProperty('token_lifetime')
    expect(await json('resources', 'disable', identifier)).toMatchObject({ disabled: true })
    const malformed = await gatehouse(['resources', 'update', identifier, '--scope', 'mcp:tools'])
    expect([malformed.code, malformed.err]).toEqual([2, expect.stringContaining('must be a scope')])
    await json('resources', 'delete', identifier, '--yes')
    expect((await gatehouse(['resources', 'show', identifier])).code).toBe(4)
  })

  test('gives a resource server roles, and a client some of them', async () => {
    const identifier = 'https://notes.example.com'
    const scope = ['--scope', 'notes:read=Read notes', '--scope', 'notes:write=Write notes']
    const roles = ['--role', 'reader=notes:read', '--role', 'editor=notes:read notes:write=Edits a=b']
    const claims = ['--token-claim', 'roles', '--token-claim', 'email', '--claims-shape', 'keycloak']
    const added = await json('resources', 'add', identifier, ...scope, ...roles, ...claims)
    const [reader, editor] = [
      { name: 'reader', description: '', scopes: ['notes:read'], organizations_may_give: false },
      {
        ...{ name: 'editor', description: 'Edits a=b', scopes: ['notes:read', 'notes:write'] },
        organizations_may_give: false,
      },
    ]
    expect(added).toMatchObject({
      ...{ roles: [reader, editor], scopes_by_role: false, token_claims: ['roles', 'email'] },
      claims_shape: 'keycloak',
    })
    expect((await gatehouse(['resources', 'show', identifier])).out).toMatch(
      /role editor +notes:read notes:write, Edits a=b/,
    )
    const changes = ['--role', 'editor=notes:write', '--scopes-by-role', 'true', '--token-claim', '']
    expect(await json('resources', 'update', identifier, ...changes)).toMatchObject({
      roles: [{ ...editor, scopes: ['notes:write'] }],
      ...{ scopes_by_role: true, token_claims: [] },
    })
    const unknown = await gatehouse(['resources', 'update', identifier, '--role', 'a=notes:all'])
    expect([unknown.code, unknown.err]).toEqual([
      1,
      expect.stringContaining('roles[0].scopes must be scopes of the resource server; notes:all is not.'),
    ])

    const kind = ['--grant-type', 'client_credentials', '--roles-of', identifier]
    const client = await json('clients', 'create', ...kind, '--role', `${identifier}=editor`)
    expect(client).toMatchObject({ roles: [{ resource: identifier, role: 'editor' }], roles_of: identifier })
    const shown = await gatehouse(['clients', 'show', client.client_id])
    expect(shown.out).toMatch(new RegExp(`^roles +${identifier}=editor$`, 'm'))
    const change = (role: string) => gatehouse(['clients', 'change', client.client_id, '--role', role])
    expect((await change('editor')).err).toContain('must be the identifier of a resource server, "=" and')
    expect((await change(`${identifier}=reader`)).err).toContain('roles is invalid: entry 1 must have')
    expect((await change('')).code).toBe(0)
    expect(await json('clients', 'show', client.client_id)).not.toHaveProperty('roles')
    await json('resources', 'delete', identifier, '--yes')
    await json('clients', 'delete', client.client_id, '--yes')
  })

  test('revokes a token from standard input, a token by its id, and all tokens of a client', async () => {
    const client = await json('clients', 'create', '--name', 'Tokens', ...machine)
    const [first, second, third] = [
      await issueToken(system, client),
      await issueToken(system, client),
      await issueToken(system, client),
    ]
    const revoked = await gatehouse(['tokens', 'revoke', '-'], {}, `${first}\n`)
    expect(revoked).toEqual({ code: 0, out: 'The token is revoked.\n', err: '' })
    expect(await introspectionOf(system, first)).toBe('{"active":false}')

    const { items } = await json('tokens', 'list', '--client', client.client_id)
    expect(items).toHaveLength(3)
    const newest = items[0]
    await json('tokens', 'revoke', `${newest.jti}:${newest.exp}`)
    expect(await introspectionOf(system, third)).toBe('{"active":false}')
    expect(await introspectionOf(system, second)).toContain('"active":true')

    await json('tokens', 'revoke', '--client', client.client_id, '--yes')
    expect(await introspectionOf(system, second)).toBe('{"active":false}')
  })

  test('accepts no token as an argument, where others could see it', async () => {
    const { code, err } = await gatehouse(['tokens', 'revoke', 'eyJhbGciOiJIUzI1NiJ9.e30.c2ln'])
    expect(code).toBe(2)
    expect(err).toContain('standard input')
  })

  test('lists which clients did not authenticate, and nothing of ids that no client has', async () => {
    const client = await json('clients', 'create', '--name', 'Wrong', ...machine)
    const other = `hunter2-${Date.now()}`
    for (const client_id of [client.client_id, client.client_id, other]) {
      const credentials = { client_id, client_secret: 'wrong' }
      const answers = [
        await system.form('/oauth/token', { grant_type: 'client_credentials', ...credentials }),
        await system.form('/oauth/revoke', { token: 'x', ...credentials }),
      ]
      expect(answers.map(({ status }) => status)).toEqual([401, 401])
    }
    const list = (...words: string[]) => json('client-authentication-failures', 'list', ...words)
    const ofClient = async () => (await list('--client', client.client_id)).items
    await expect.poll(async () => (await ofClient()).length, { timeout: 20_000 }).toBeGreaterThan(1)
    const sums: Record<string, number> = {}
    for (const { endpoint, reason, ip_address, count } of await ofClient()) {
      expect([reason, ip_address]).toEqual(['wrong_secret', '127.0.0.1'])
      sums[endpoint] = (sums[endpoint] ?? 0) + count
    }
    expect(sums).toEqual({ token: 2, revocation: 2 })
    expect(JSON.stringify(await list())).not.toContain(other)
    expect((await list('--client', client.client_id, '--reason', 'disabled')).items).toEqual([])
    expect((await gatehouse(['client-authentication-failures', 'list'])).out).toMatch(/ wrong_secret +2 /)
  })

  test('works with a client that may administer a part only, and says what it may not do', async () => {
    const scope = 'admin:clients:read admin:clients:write'
    const words = ['clients', 'create', '--grant-type', 'client_credentials']
    const { client_id, client_secret } = await json(...words, '--name', 'Inventory', '--scope', scope)
    const part = {
      GATEHOUSE_CLIENT_ID: client_id,
      GATEHOUSE_CLIENT_SECRET: client_secret,
      GATEHOUSE_PASSWORD: '',
    }
    expect((await gatehouse(['clients', 'show', client_id], part)).code).toBe(0)
    expect((await gatehouse([...words, '--name', 'By Inventory', '--scope', 'read'], part)).code).toBe(0)
    const keys = await gatehouse(['keys', 'list'], part)
    expect([keys.code, keys.err]).toEqual([3, expect.stringContaining('admin:keys:read')])
    for (const refused of [
      [...words, '--name', 'Everything', '--scope', 'admin'],
      ['clients', 'rotate-secret', client_id],
    ]) {
      const { code, err } = await gatehouse(refused, part)
      expect([code, err]).toEqual([3, expect.stringContaining('needs the scope admin')])
    }
  })

  test('says what was issued and refused, of one client by the day, and of all by the minute', async () => {
    const client = await json('clients', 'create', '--name', 'Used', ...machine)
    const usage = () => gatehouse(['clients', 'usage', client.client_id])
    expect((await usage()).out).toBe('No token requests.\n')
    await issueToken(system, client)
    await expect.poll(async () => (await usage()).out, { timeout: 20_000 }).toMatch(/^[\d-]{10} +1 +0$/m)
    const { code, out } = await gatehouse(['usage'])
    expect([code, out]).toEqual([0, expect.stringMatching(/ client_credentials=\d+ /)])
  })

  async function grantedTo(client: { client_id: string; client_secret: string }): Promise<number> {
    const { client_id, client_secret } = client
    return (await system.form('/oauth/token', { grant_type: 'client_credentials', client_id, client_secret }))
      .status
  }
})
