import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { browse, logIn } from '@gatehouse/test/browser/browser-login'
import { introspectionOf, issueToken } from '@gatehouse/test/oauth'
import { gatehouseCommand } from '@gatehouse/test/programs/gatehouse-command'
import { startTestSystem, type TestSystem } from '@gatehouse/test/system'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const password = 'correct horse battery staple'
const program = join(import.meta.dirname, '../../../node_modules/.bin/gatehouse')

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

  const { gatehouse, json } = gatehouseCommand(() => environmentOf({}))

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
    expect(refused.code).toBe(3)
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
})
