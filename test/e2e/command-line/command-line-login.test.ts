import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { gatehouseCommand } from '@gatehouse/test/programs/gatehouse-command'
import { runDirectory } from '@gatehouse/test/run-directory'
import { freePorts } from '@gatehouse/test/servers/server-process'
import { sharedAdmin, type TestSystem } from '@gatehouse/test/system'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { runCommand } from '../../../deploy/cli/src/program.ts'
import { follow, startProvider } from '../openid/openid-world.ts'

describe('gatehouse login and profiles', { timeout: 60_000 }, () => {
  let system: TestSystem
  let directory: string
  let clientId: string
  beforeAll(async () => {
    system = (await startProvider()).system
    directory = await mkdtemp(join(runDirectory(), 'profiles-'))
    const withPassword = gatehouseCommand(() => ({
      GATEHOUSE_URL: system.baseUrl,
      GATEHOUSE_PASSWORD: sharedAdmin.password,
    }))
    const grants = ['--grant-type', 'authorization_code', '--grant-type', 'refresh_token']
    const client = await withPassword.json(
      ...['clients', 'create', '--name', 'Command line', '--public', '--scope', 'admin', ...grants],
      ...['--redirect-uri', 'http://127.0.0.1/callback'],
    )
    clientId = client.client_id
  })
  afterAll(() => rm(directory, { recursive: true, force: true }))

  const file = () => join(directory, 'gatehouse', 'profiles.json')
  beforeEach(() => rm(file(), { force: true }))
  const variables = () => ({ XDG_CONFIG_HOME: directory, GATEHOUSE_CONFIG: '' })
  const { gatehouse, json } = gatehouseCommand(variables)
  const saved = async () => JSON.parse(await readFile(file(), 'utf8'))

  /** Begins a login. @returns the address that it shows, and what it prints and ends with */
  async function attempt(...words: string[]) {
    const [output, errors] = [new PassThrough(), new PassThrough()]
    const terminal = { input: Readable.from(['']), output, errors }
    const messages: string[] = []
    errors.on('data', (data) => messages.push(String(data)))
    const ended = runCommand(['login', '--no-browser', ...words], variables(), terminal)
    await expect.poll(() => messages.length).toBeGreaterThan(0)
    return { address: new URL(messages.shift()?.match(/https?:\S+/)?.[0] ?? ''), ended, messages, output }
  }

  /** Logs in as the person in the browser does, at the address that the command shows. */
  async function logIn(...words: string[]) {
    const { address, ended, messages, output } = await attempt(...words)
    const { at } = await follow(system, new Map(), address)
    expect(await (await fetch(at)).text()).toContain('You can close this window')
    const code = await ended
    output.end()
    return { code, address, complaints: messages.join(''), out: await text(output) }
  }
  const begin = () => logIn('--url', system.baseUrl, '--client-id', clientId)

  test('a person logs in once, and then gives commands without a password', async () => {
    const { code, address, complaints, out } = await begin()
    expect([code, out], complaints).toEqual([0, `You are logged in at ${system.baseUrl}.\n`])
    const { searchParams } = address
    expect(searchParams.get('code_challenge_method')).toBe('S256')
    expect(searchParams.get('redirect_uri')).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/)
    expect((await stat(file())).mode & 0o777).toBe(0o600)
    expect((await json('users', 'list', '--search', sharedAdmin.username)).items).toHaveLength(1)
    // The client is remembered.
    expect((await logIn('--url', system.baseUrl)).code).toBe(0)
  })

  test('gatehouse apply --prune keeps the client of the login', async () => {
    await begin()
    const { out } = await gatehouse(['apply', '-f', '-', '--prune', '--dry-run', '--json'], {}, 'clients: []')
    const { steps } = JSON.parse(out)
    expect(steps.map(({ key }: { key: string }) => key)).not.toContain(clientId)
    const other = await gatehouse(
      ['apply', '-f', '-', '--prune', '--dry-run', '--json', '--url', system.baseUrl],
      { GATEHOUSE_PASSWORD: sharedAdmin.password, XDG_CONFIG_HOME: join(directory, 'none') },
      'clients: []',
    )
    expect(JSON.parse(other.out).steps).toContainEqual({ action: 'delete', kind: 'clients', key: clientId })
  })

  test('an expired access token is renewed', async () => {
    await begin()
    const before = await saved()
    const { login } = before.profiles.default
    login.expiresAt = Date.now()
    await writeFile(file(), JSON.stringify(before))
    expect((await gatehouse(['status'])).code).toBe(0)
    const after = (await saved()).profiles.default.login
    expect(after.accessToken).not.toBe(login.accessToken)
    expect(after.refreshToken).not.toBe(login.refreshToken)
  })

  test('the logout revokes the tokens', async () => {
    await begin()
    const { login } = (await saved()).profiles.default
    const { code, out } = await gatehouse(['logout'])
    expect([code, out]).toEqual([0, `You are logged out at ${system.baseUrl}.\n`])
    expect((await saved()).profiles.default).toEqual({ url: system.baseUrl, clientId })
    expect((await gatehouse(['status'], { GATEHOUSE_TOKEN: login.accessToken })).code).toBe(3)
    expect(await gatehouse(['logout'])).toMatchObject({ code: 1, err: 'You are not logged in.\n' })
  })

  test('a login that is over says so', async () => {
    await begin()
    const content = await saved()
    content.profiles.default.login = { accessToken: 'x', refreshToken: 'y'.repeat(43), expiresAt: 0 }
    await writeFile(file(), JSON.stringify(content))
    expect(await gatehouse(['status'])).toMatchObject({
      code: 3,
      err: 'Your login is over: gatehouse login\n',
    })
  })

  test('a token is sent to the server of its profile only, and other credentials count instead', async () => {
    await begin()
    const elsewhere = await gatehouse(['status', '--url', 'http://localhost:9'])
    expect([elsewhere.code, elsewhere.err]).toEqual([3, expect.stringMatching(/^No credentials/)])
    const wrong = await gatehouse(['status'], { GATEHOUSE_PASSWORD: 'wrong' })
    expect(wrong.code).toBe(3)
  })

  test('without a client it says how to create one', async () => {
    const { code, err } = await gatehouse(['login', '--url', system.baseUrl])
    expect([code, err]).toEqual([
      2,
      expect.stringContaining('gatehouse clients create --name "Command line"'),
    ])
  })

  test('a login does not make a profile one for another server', async () => {
    await gatehouse(['profiles', 'add', 'live', '--url', 'https://auth.example'])
    const { code, err } = await gatehouse(['login', '--url', system.baseUrl, '--client-id', clientId])
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(/^The profile live is for https:\/\/auth\.example\./),
    ])
    expect((await saved()).profiles.live).toEqual({ url: 'https://auth.example' })
  })

  test.each<[string, (state: string) => Record<string, string>, number, RegExp]>([
    [
      'a person who does not allow it',
      (state) => ({ error: 'access_denied', state }),
      3,
      /^The login was refused: access_denied\n$/,
    ],
    [
      'the answer to another login',
      () => ({ code: 'x'.repeat(43), state: 'another' }),
      1,
      /^The login failed: .*state.*\n$/,
    ],
    [
      'a code that is invalid',
      (state) => ({ code: 'x'.repeat(43), state }),
      3,
      /^The login was refused: .*\n$/,
    ],
  ])('nobody is logged in by %s', async (_, answerOf, code, message) => {
    const { address, ended, messages } = await attempt('--url', system.baseUrl, '--client-id', clientId)
    const query = address.searchParams
    const answer = new URLSearchParams({ ...answerOf(query.get('state') ?? ''), iss: system.baseUrl })
    await fetch(`${query.get('redirect_uri')}?${answer}`)
    expect([await ended, messages.join('')]).toEqual([code, expect.stringMatching(message)])
    await expect(stat(file())).rejects.toMatchObject({ code: 'ENOENT' })
  })

  test('a server that is not there is named in one line', async () => {
    const [port] = await freePorts(1)
    const unknown = await gatehouse(['login', '--url', `http://localhost:${port}`, '--client-id', clientId])
    expect([unknown.code, unknown.err]).toEqual([
      5,
      'The login failed (ECONNREFUSED). Is this the address of Gatehouse?\n',
    ])
  })

  test('profiles are added, used, listed and removed', async () => {
    expect((await gatehouse(['profiles', 'add', 'test', '--url', system.baseUrl])).code).toBe(0)
    expect((await gatehouse(['profiles', 'add', 'live', '--url', 'https://auth.example'])).code).toBe(0)
    const items = [
      { name: 'test', url: system.baseUrl, logged_in: false, current: false },
      { name: 'live', url: 'https://auth.example', logged_in: false, current: true },
    ]
    expect(await json('profiles', 'list')).toEqual({ items })
    await gatehouse(['profiles', 'use', 'test'])
    const asRoot = { GATEHOUSE_PASSWORD: sharedAdmin.password }
    expect((await gatehouse(['status'], asRoot)).code).toBe(0)
    expect((await gatehouse(['status', '--profile', 'live'], asRoot)).code).toBe(5)
    expect((await gatehouse(['status'], { ...asRoot, GATEHOUSE_PROFILE: 'live' })).code).toBe(5)
    expect(await gatehouse(['status', '--profile', 'none'], asRoot)).toMatchObject({ code: 2 })
    await gatehouse(['profiles', 'remove', 'live'])
    expect((await json('profiles', 'list')).items).toHaveLength(1)
    expect((await gatehouse(['profiles', 'use', 'live'])).code).toBe(4)
    expect((await gatehouse(['profiles', 'add', 'x'])).code).toBe(2)
  })

  test('a damaged file is named', async () => {
    await gatehouse(['profiles', 'add', 'test', '--url', system.baseUrl])
    await writeFile(file(), '{')
    const { code, err } = await gatehouse(['status'])
    expect([code, err]).toEqual([1, `${file()} is damaged: repair or delete it.\n`])
  })
})
