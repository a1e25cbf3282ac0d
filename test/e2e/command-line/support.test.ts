import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { issueToken } from '@gatehouse/test/oauth'
import { gatehouseCommand } from '@gatehouse/test/programs/gatehouse-command'
import { sharedAdmin, sharedTestSystem, type TestSystem } from '@gatehouse/test/system'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

describe('help with a running system', () => {
  let system: TestSystem
  let directory: string
  beforeAll(async () => {
    system = await sharedTestSystem()
    directory = await mkdtemp(join(tmpdir(), 'gatehouse-support-'))
  })
  afterAll(() => rm(directory, { recursive: true, force: true }))
  const { gatehouse, json } = gatehouseCommand(() => ({
    GATEHOUSE_URL: system.baseUrl,
    GATEHOUSE_PASSWORD: sharedAdmin.password,
  }))
  const inDirectory = (name: string) => join(directory, name)

  test('a support bundle has the state, and neither secrets nor people nor clients', async () => {
    const client = await system.register({
      client_name: 'Seen By Nobody',
      grant_types: ['client_credentials'],
      scope: 'read',
    })
    const token = await issueToken(system, client)
    await system.form('/oauth/token', { grant_type: 'client_credentials', ...client, client_secret: 'wrong' })
    await system.form('/auth/login', { username: 'a.person.of.mine', password: 'wrong' })
    const settings = {
      OAUTH2_JWT_SECRET: 'a secret of thirty-two bytes or more',
      OAUTH2_DATABASE_URL: 'postgresql://u:password-of-it@db/gatehouse',
      OAUTH2_SERVER_PUBLIC_BASE_URL: 'https://login.example.com',
      // A secret that somebody put where it does not belong.
      OAUTH2_BRAND_NAME: 'postgresql://u:password-of-it@db/gatehouse',
      HOME: '/somewhere',
    }
    const file = inDirectory('bundle.json')
    const { code, out, err } = await gatehouse(['support-bundle', '--file', file], settings)
    expect([code, out, err]).toEqual([0, `${file} is written. Read it before you send it.\n`, ''])
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    const text = await readFile(file, 'utf8')
    const bundle = JSON.parse(text)
    expect(bundle.settings).toEqual({
      OAUTH2_BRAND_NAME: '[secret]',
      OAUTH2_DATABASE_URL: 'set',
      OAUTH2_JWT_SECRET: 'set',
      OAUTH2_SERVER_PUBLIC_BASE_URL: 'https://login.example.com',
    })
    expect(bundle).toMatchObject({
      failures: {},
      status: { database: 'connected' },
      health: { status: 200 },
      metadata: { issuer: system.baseUrl },
      keys: [{ state: 'active' }],
      rate_limits: { enabled: false, over_a_limit: 0 },
      event_backends: [],
      webhook_deliveries: {},
      totals: { clients: expect.any(Number), users: expect.any(Number), resources: expect.any(Number) },
    })
    expect(bundle.usage_by_hour.length).toBeGreaterThan(0)
    expect(bundle.metrics).toContainEqual(expect.stringMatching(/^oauth2_server_\w+/))
    const { client_id: id, client_secret: secret } = client
    for (const unwanted of [id, secret, token, 'Seen By Nobody', 'a.person', 'password-of-it', '/somewhere'])
      expect(text).not.toContain(unwanted)
    expect(text).not.toContain(sharedAdmin.password)
    const again = await gatehouse(['support-bundle', '--file', file])
    expect([again.code, again.err]).toEqual([2, `${file} exists already: name another file.\n`])
  })

  test.each([
    ['that does not answer', { GATEHOUSE_URL: 'http://127.0.0.1:4444' }, 'does not answer (ECONNREFUSED)'],
    ['that refuses the password', { GATEHOUSE_PASSWORD: 'wrong' }, 'password'],
  ])('the bundle of a system %s says so, and has the rest', async (_, variables, reason) => {
    const { code, out } = await gatehouse(['support-bundle', '--file', '-'], {
      ...variables,
      OAUTH2_REGISTRATION: 'open',
    })
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({
      failures: { api: expect.stringContaining(reason) },
      settings: { OAUTH2_REGISTRATION: 'open' },
      command_line: { version: expect.stringMatching(/^\d/) },
    })
  })

  test('profiles are taken of a process that goes on answering, and its inspector is closed again', async () => {
    const { services } = await json('status')
    const of = (name: string) => services.find((each: { service: string }) => each.service === name)
    const pid = String(of('token').replicas[0].instance).split('-').at(-1) as string
    const client = await system.register()
    const taking = gatehouse(['inspect', 'cpu', '--pid', pid, '--seconds', '2', '--file', inDirectory('cpu')])
    let ended = false
    void taking.finally(() => (ended = true))
    while (!ended) await issueToken(system, client)
    expect(await taking).toEqual({ code: 0, out: '', err: '' })
    const { nodes, samples } = JSON.parse(await readFile(inDirectory('cpu'), 'utf8'))
    expect(samples.length).toBeGreaterThan(100)
    const urls = nodes.map(({ callFrame }: { callFrame: { url: string } }) => callFrame.url)
    expect(urls).toContainEqual(expect.stringContaining('/services/token/src/'))

    const allocations = await gatehouse(['inspect', 'allocations', '--pid', pid, '--seconds', '1'])
    expect(JSON.parse(allocations.out)).toMatchObject({ head: { callFrame: { functionName: '(root)' } } })
    const heap = await gatehouse(['inspect', 'heap', '--pid', pid, '--file', inDirectory('heap')])
    expect(heap).toEqual({ code: 0, out: '', err: '' })
    expect((await stat(inDirectory('heap'))).mode & 0o777).toBe(0o600)
    expect(JSON.parse(await readFile(inDirectory('heap'), 'utf8'))).toMatchObject({
      snapshot: { node_count: expect.any(Number) },
    })
    await expect.poll(() => fetch('http://127.0.0.1:9229/json/list').catch(() => 'closed')).toBe('closed')
    await issueToken(system, client)
  })

  test.each([
    ['a process that is not there', '999999999', 'There is no process 999999999: name one with --pid.\n'],
    ['no number', 'all', /It must be a whole number from 1 to \d+\./],
  ])('of %s no profile is taken, and a line says why', async (_, pid, words) => {
    const { code, out, err } = await gatehouse(['inspect', 'cpu', '--pid', pid])
    expect(code).not.toBe(0)
    expect(out).toBe('')
    expect(err).toMatch(words)
  })
})
