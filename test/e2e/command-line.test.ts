import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { browse, logIn } from '@gatehouse/test/browser-login'
import { introspectionOf, issueToken } from '@gatehouse/test/oauth'
import { startTestSystem, type TestSystem } from '@gatehouse/test/system'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runCommand } from '../../deploy/cli/src/program.ts'

const password = 'correct horse battery staple'
const program = join(import.meta.dirname, '../../node_modules/.bin/gatehouse')

type Ended = { code: number; out: string; err: string }

describe('the command line', { timeout: 60_000 }, () => {
  let system: TestSystem
  beforeAll(async () => {
    system = await startTestSystem({ OAUTH2_SEED_PASSWORD: password, OAUTH2_RATE_LIMIT_ENABLED: 'false' })
  })
  afterAll(() => system?.stop())

  const environmentOf = (environment: Record<string, string>) => ({
    GATEHOUSE_URL: system.baseUrl,
    GATEHOUSE_PASSWORD: password,
    ...environment,
  })

  async function gatehouse(
    words: string[],
    environment: Record<string, string> = {},
    input = '',
  ): Promise<Ended> {
    const [output, errors] = [new PassThrough(), new PassThrough()]
    const terminal = { input: Readable.from([input]), output, errors }
    const code = await runCommand(words, environmentOf(environment), terminal)
    output.end()
    errors.end()
    return { code, out: await text(output), err: await text(errors) }
  }

  /** Runs a command that must succeed, and parses its JSON output. */
  // biome-ignore lint/suspicious/noExplicitAny: each command has a shape of its own.
  async function json(...words: string[]): Promise<any> {
    const { code, out, err } = await gatehouse([...words, '--json'])
    expect([code, err]).toEqual([0, ''])
    return JSON.parse(out)
  }

  const machine = ['--grant-type', 'client_credentials', '--scope', 'read write']

  test('creates a client that gets tokens, rotates its secret with an overlap, disables and deletes it', async () => {
    const client = await json('clients', 'create', '--name', 'Billing', ...machine)
    expect(client).toMatchObject({ client_name: 'Billing', grant_types: ['client_credentials'] })
    await issueToken(system, client)

    const rotated = await json('clients', 'rotate-secret', client.client_id, '--overlap', '600')
    expect(rotated.client_secret).not.toBe(client.client_secret)
    await issueToken(system, client)
    await expect.poll(() => grantedTo(rotated), { timeout: 5_000 }).toBe(200)

    expect((await json('clients', 'list', '--search', 'bill')).items).toHaveLength(1)
    expect(await json('clients', 'disable', client.client_id)).toMatchObject({ disabled: true })
    await expect.poll(() => grantedTo(client), { timeout: 5_000 }).toBe(401)
    expect(await json('clients', 'enable', client.client_id)).toMatchObject({ disabled: false })
    await expect.poll(() => grantedTo(client), { timeout: 5_000 }).toBe(200)

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

  test('creates users, finds them ignoring case, promotes, disables and deletes them', async () => {
    const made = await json('users', 'create', 'Carol')
    expect(made).toMatchObject({ username: 'Carol', admin: false })
    expect(made.generated_password.length).toBeGreaterThanOrEqual(20)
    expect(await json('users', 'promote', 'carol')).toMatchObject({ admin: true })
    const asCarol = { GATEHOUSE_USERNAME: 'Carol', GATEHOUSE_PASSWORD: made.generated_password }
    expect((await gatehouse(['status'], asCarol)).code).toBe(0)
    expect(await json('users', 'disable', 'CAROL')).toMatchObject({ disabled: true })
    expect((await gatehouse(['status'], asCarol)).code).toBe(3)
    await json('users', 'enable', 'Carol')
    await json('users', 'demote', 'Carol')
    expect((await gatehouse(['status'], asCarol)).code).toBe(3)
    const reset = await json('users', 'reset-password', 'Carol')
    expect(reset.generated_password).not.toBe(made.generated_password)
    await json('users', 'delete', 'Carol', '--yes')
    expect((await gatehouse(['users', 'disable', 'Carol'])).code).toBe(4)
  })

  test('creates a user with attributes, changes and removes them, and finds the user by e-mail address', async () => {
    const email = 'frank@example.com'
    await json(
      'users',
      'create',
      'Frank',
      '--email',
      email,
      '--email-verified',
      'true',
      '--given-name',
      'Frank',
    )
    const user = await json('users', 'show', 'Frank')
    expect(user).toMatchObject({ email, email_verified: true, given_name: 'Frank' })
    const update = ['users', 'update', 'Frank', '--email', 'f@example.com', '--given-name', '']
    expect((await gatehouse(update)).out).toMatch(
      /^e-mail address +f@example.com\ne-mail address verified +no$/m,
    )
    expect(await json('users', 'show', 'Frank')).not.toHaveProperty('given_name')
    expect((await json('users', 'list', '--search', 'f@exam')).items).toMatchObject([{ username: 'Frank' }])
    const wrong = await gatehouse(['users', 'update', 'Frank', '--zoneinfo', 'Mars'])
    expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining('zoneinfo must be a time zone')])
    expect((await gatehouse(['users', 'update', 'Frank', '--email-verified', 'maybe'])).code).toBe(2)
  })

  test('shows a user and their sessions, and ends one of them or all', async () => {
    const { user_id: id, generated_password: secret } = await json('users', 'create', 'Dora')
    await Promise.all([1, 2, 3].map(() => logIn(system, 'Dora', secret)))
    expect(await json('users', 'show', 'dora')).toMatchObject({ user_id: id, has_password: true })
    expect((await gatehouse(['users', 'show', 'Dora'])).out).toMatch(/^name +Dora$/m)

    const { items } = await json('users', 'sessions', 'Dora')
    expect(items).toHaveLength(3)
    await json('users', 'end-sessions', 'Dora', items[1].session_id)
    expect((await json('users', 'sessions', id)).items).toEqual([items[0], items[2]])
    const again = await gatehouse(['users', 'end-sessions', 'Dora', items[1].session_id])
    expect([again.code, again.out, again.err]).toEqual([4, '', 'Dora has no such session.\n'])
    await json('users', 'end-sessions', 'Dora')
    expect((await gatehouse(['users', 'sessions', 'Dora'])).out).toBe('No sessions.\n')
  })

  test('lists who tried to log in, and what administrators did', async () => {
    const { user_id: id } = await json('users', 'create', 'Eve')
    await expect(logIn(system, 'Eve', 'a guess')).rejects.toThrow()
    expect(await json('users', 'list', '--sort', '-created_at', '--limit', '1')).toMatchObject({
      items: [{ user_id: id }],
    })
    const logins = await json('logins', 'list', '--user', id, '--outcome', 'failed')
    expect(logins.items).toMatchObject([{ user: { username: 'Eve' }, failure: 'wrong_password' }])
    expect((await gatehouse(['logins', 'list', '--user', id])).out).toMatch(/ Eve +wrong_password +password /)

    expect(await json('users', 'login-problems', 'Eve')).toMatchObject({
      problems: [],
      last_failures: [{ failure: 'wrong_password' }],
    })
    await json('users', 'disable', 'Eve')
    expect((await gatehouse(['users', 'login-problems', 'eve'])).out).toMatch(
      /^The user is disabled\. Enable the user\.\n\n[\s\S]* wrong_password +127\.0\.0\.1 /,
    )
    await json('users', 'enable', 'Eve')
    await json('users', 'promote', 'Eve')
    const { items } = await json('audit', 'list', '--target', id)
    expect(items).toMatchObject([
      { action: 'user.update', after: { admin: true } },
      { action: 'user.update', after: { disabled: false } },
      { action: 'user.update', after: { disabled: true } },
      { action: 'user.create', actor: { name: 'admin' } },
    ])
    expect((await json('users', 'list', '--admin', 'true', '--search', 'eve')).items).toHaveLength(1)
    expect((await json('users', 'list', '--admin', 'false', '--search', 'eve')).items).toEqual([])
    expect((await json('audit', 'list', '--target', id, '--action', 'user.create')).items).toHaveLength(1)
    expect((await json('audit', 'list', '--until', '2026-01-01T00:00:00Z')).items).toEqual([])
    expect((await gatehouse(['audit', 'list', '--actor', id])).out).toBe('No actions found.\n')
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

  test('says what was issued and refused, of one client by the day, and of all by the minute', async () => {
    const client = await json('clients', 'create', '--name', 'Used', ...machine)
    const usage = () => gatehouse(['clients', 'usage', client.client_id])
    expect((await usage()).out).toBe('No token requests.\n')
    await issueToken(system, client)
    await expect.poll(async () => (await usage()).out, { timeout: 20_000 }).toMatch(/^[\d-]{10} +1 +0$/m)
    const { code, out } = await gatehouse(['usage'])
    expect([code, out]).toEqual([0, expect.stringMatching(/ client_credentials=\d+ /)])
  })

  test('rotates the key and keeps issued tokens valid', async () => {
    const token = await issueToken(system, await system.register())
    const { kid, previous } = await json('keys', 'rotate')
    expect(previous[0].kid).toBe('default')
    expect((await json('keys', 'list')).items[0]).toMatchObject({ kid, active: true })
    expect(await introspectionOf(system, token)).toContain('"active":true')
  })

  test('refuses to rotate a key of an algorithm that is off, and asks before it withdraws keys', async () => {
    const off = await gatehouse(['keys', 'rotate', '--algorithm', 'ES256'])
    expect([off.code, off.err]).toEqual([1, expect.stringContaining('HS256')])
    const unasked = await gatehouse(['keys', 'rotate', '--immediately'])
    expect([unasked.code, unasked.err]).toEqual([2, expect.stringContaining('--yes')])
    const { kid, previous } = await json('keys', 'rotate', '--immediately', '--yes')
    expect(previous).toEqual([])
    expect((await json('keys', 'list')).items).toMatchObject([
      { kid, state: 'active', signs: ['access_token'] },
    ])
  })

  test('authenticates with a client or a token of the scope admin, but not without it', async () => {
    const { client_id: id, client_secret: secret } = await json(
      'clients',
      'create',
      '--name',
      'Robot',
      '--grant-type',
      'client_credentials',
      '--scope',
      'admin',
    )
    const robot = { GATEHOUSE_CLIENT_ID: id, GATEHOUSE_CLIENT_SECRET: secret, GATEHOUSE_PASSWORD: '' }
    expect((await gatehouse(['status'], robot)).code).toBe(0)
    const response = await system.form('/oauth/token', {
      grant_type: 'client_credentials',
      client_id: id,
      client_secret: secret,
    })
    const { access_token: token } = (await response.json()) as { access_token: string }
    expect((await gatehouse(['status'], { GATEHOUSE_TOKEN: token, GATEHOUSE_PASSWORD: '' })).code).toBe(0)

    const plain = await system.register()
    const refused = await gatehouse(['status'], {
      GATEHOUSE_CLIENT_ID: plain.client_id,
      GATEHOUSE_CLIENT_SECRET: plain.client_secret,
    })
    expect(refused.code).toBe(1)
    const weak = await gatehouse(['status'], { GATEHOUSE_TOKEN: await issueToken(system, plain) })
    expect([weak.code, weak.out]).toEqual([3, ''])
  })

  test('is a program named gatehouse with exit codes', async () => {
    const environment = environmentOf({ PATH: process.env.PATH ?? '', GATEHOUSE_PASSWORD: 'wrong' })
    const child = spawn(program, ['status'], { env: environment })
    const [code, err] = await Promise.all([
      new Promise<number | null>((resolve) => child.on('close', resolve)),
      text(child.stderr),
    ])
    expect([code, err]).toEqual([3, expect.stringContaining('wrong')])
  })

  test('prints tables and sentences for people, and the state of every process', async () => {
    const { code, out } = await gatehouse(['status'])
    expect(code).toBe(0)
    expect(out).toMatch(/^SERVICE\s+REPLICA\s+RELEASE/)
    for (const service of ['gateway', 'token', 'client-registry', 'identity', 'events'])
      expect(out).toMatch(new RegExp(`^${service} .* yes`, 'm'))
  })

  test.each([
    ['a wrong password', ['status'], { GATEHOUSE_PASSWORD: 'wrong' }, 3, 'wrong'],
    ['no credentials and nobody to ask', ['status'], { GATEHOUSE_PASSWORD: '' }, 3, 'GATEHOUSE_CLIENT_ID'],
    ['a client without its secret', ['status'], { GATEHOUSE_CLIENT_ID: 'x' }, 2, 'GATEHOUSE_CLIENT_SECRET'],
    ['an unknown command', ['clients', 'explode'], {}, 2, 'unknown command'],
    ['a limit that is not a number', ['clients', 'list', '--limit', 'all'], {}, 2, 'must be a whole number'],
    ['an invalid cursor', ['clients', 'list', '--cursor', 'x'], {}, 1, 'cursor'],
    ['a deletion that nobody confirmed', ['clients', 'delete', 'client_x'], {}, 2, '--yes'],
    ['an unknown outcome', ['logins', 'list', '--outcome', 'x'], {}, 2, 'succeeded, failed'],
    ['an unknown user', ['users', 'sessions', 'nobody'], {}, 4, 'no such user'],
    ['an unknown client', ['clients', 'delete', 'client_x', '--yes'], {}, 4, 'no such client'],
    [
      'an address without a server',
      ['status'],
      { GATEHOUSE_URL: 'http://127.0.0.1:9' },
      5,
      'does not answer',
    ],
    ['an invalid address', ['status'], { GATEHOUSE_URL: 'ftp://x' }, 2, 'http://'],
  ])(
    'reports %s in one line of error output and by its exit code',
    async (_name, words, environment, expected, say) => {
      const { code, out, err } = await gatehouse(words, environment)
      expect([code, out]).toEqual([expected, ''])
      expect(err).toContain(say)
      expect(err.trimEnd().split('\n').length).toBeLessThanOrEqual(2)
    },
  )

  test('says in one line that a server which answers with a page is not Gatehouse', async () => {
    const server = createServer((_request, response) => void response.end('<!doctype html>')).listen(0)
    await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const { code, out, err } = await gatehouse(['status'], { GATEHOUSE_URL: url, GATEHOUSE_TOKEN: 'x' })
    server.close()
    expect([code, out, err]).toEqual([
      5,
      '',
      expect.stringMatching(/^The server that answered is not Gatehouse.*\n$/),
    ])
  })

  test('lets an administrator in over the database, whose sessions and tokens end within seconds', async () => {
    const username = 'locked-out'
    await gatehouse(['users', 'create', username], { GATEHOUSE_NEW_PASSWORD: password })
    const jar = await logIn(system, username, password)
    const environment = { OAUTH2_DATABASE_URL: system.databaseUrl }
    const unsure = await gatehouse(['admin', 'recover', username], environment)
    expect([unsure.code, unsure.err]).toEqual([2, expect.stringContaining('Use --yes to confirm.')])

    const { code, out, err } = await gatehouse(['admin', 'recover', username, '--yes', '--json'], environment)
    expect([code, err]).toEqual([0, ''])
    const { password: newPassword, ...rest } = JSON.parse(out)
    expect(rest).toEqual({ username, created: false })
    expect((await browse(system, jar, '/account')).status).toBe(302)
    const asRecovered = { GATEHOUSE_USERNAME: username, GATEHOUSE_PASSWORD: newPassword }
    const audit = await gatehouse(['audit', 'list', '--json'], asRecovered)
    expect(JSON.parse(audit.out).items[0]).toMatchObject({
      ...{
        action: 'user.password.reset',
        actor: { id: 'command-line', name: expect.stringMatching(/ on /) },
      },
    })

    const away = await gatehouse(['admin', 'recover', '--yes'], {
      OAUTH2_DATABASE_URL: 'postgresql://x:hunter2@127.0.0.1:9/x',
    })
    expect(away.err).toMatch(/^The database at 127\.0\.0\.1:9\/x does not answer: .+\n$/)
  })

  test('migrates a database, and reports in one line when it is away', async () => {
    const done = await gatehouse(['migrate', '--json'], { OAUTH2_DATABASE_URL: system.databaseUrl })
    expect([done.code, JSON.parse(done.out)]).toEqual([0, { applied: [] }])
    const away = await gatehouse(['migrate'], { OAUTH2_DATABASE_URL: 'postgresql://x@127.0.0.1:9/x' })
    expect([away.code, away.out, away.err.trimEnd().split('\n')]).toEqual([1, '', [expect.any(String)]])
  })

  async function grantedTo(client: { client_id: string; client_secret: string }): Promise<number> {
    const { client_id, client_secret } = client
    return (await system.form('/oauth/token', { grant_type: 'client_credentials', client_id, client_secret }))
      .status
  }
})
