import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { issueToken } from '@gatehouse/test/oauth'
import { gatehouseCommand } from '@gatehouse/test/programs/gatehouse-command'
import { sharedAdmin, sharedTestSystem, type TestSystem } from '@gatehouse/test/system'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openInspector } from '../../../deploy/cli/src/inspector.ts'

const program = join(import.meta.dirname, '../../../deploy/cli/src/main.ts')

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

  describe('profiles of a running process', () => {
    const instanceOfToken = async () => {
      const { services } = await json('status')
      const of = ({ service }: { service: string }) => service === 'token'
      return String(services.find(of).replicas[0].instance)
    }
    const inspector = () => fetch('http://127.0.0.1:9229/json/list').catch(() => 'closed')
    let instance: string
    let pid: string
    beforeAll(async () => {
      instance = await instanceOfToken()
      pid = instance.split('-').at(-1) as string
    })
    // Node.js ends by a segmentation fault when it closes an inspector that is in use.
    afterEach(async () => {
      await expect.poll(inspector).toBe('closed')
      expect(await instanceOfToken()).toBe(instance)
    })
    const inspect = (kind: string, ...words: string[]) => gatehouse(['inspect', kind, '--pid', pid, ...words])

    test('of its time, while it goes on answering', async () => {
      const client = await system.register()
      const taking = inspect('cpu', '--seconds', '2', '--file', inDirectory('cpu'))
      let ended = false
      void taking.finally(() => (ended = true))
      while (!ended) await issueToken(system, client)
      expect(await taking).toEqual({ code: 0, out: '', err: '' })
      const { nodes, samples } = JSON.parse(await readFile(inDirectory('cpu'), 'utf8'))
      expect(samples.length).toBeGreaterThan(100)
      const urls = nodes.map(({ callFrame }: { callFrame: { url: string } }) => callFrame.url)
      expect(urls).toContainEqual(expect.stringContaining('/services/token/src/'))
    })

    test('of its memory', async () => {
      const allocations = await inspect('allocations', '--seconds', '1')
      expect(JSON.parse(allocations.out)).toMatchObject({ head: { callFrame: { functionName: '(root)' } } })
      const heap = await inspect('heap', '--file', inDirectory('heap'))
      expect(heap).toEqual({ code: 0, out: '', err: '' })
      expect((await stat(inDirectory('heap'))).mode & 0o777).toBe(0o600)
      expect(JSON.parse(await readFile(inDirectory('heap'), 'utf8'))).toMatchObject({
        snapshot: { node_count: expect.any(Number) },
      })
    })

    test('of one command at a time', async () => {
      const first = inspect('cpu', '--seconds', '2')
      await expect.poll(inspector).not.toBe('closed')
      const busy = `Another command takes a profile of process ${pid}: try again when it is done.\n`
      await expect.poll(() => inspect('cpu', '--seconds', '1')).toEqual({ code: 1, out: '', err: busy })
      expect((await first).code).toBe(0)
    })

    test('until the command is interrupted', async () => {
      const words = ['inspect', 'cpu', '--pid', pid, '--seconds', '600']
      const child = spawn(process.execPath, [program, ...words], { stdio: ['ignore', 'pipe', 'inherit'] })
      const profile = text(child.stdout)
      await expect.poll(inspector).not.toBe('closed')
      // The inspector is open before the profile begins.
      await pause(1_000)
      child.kill('SIGINT')
      expect(JSON.parse(await profile).samples.length).toBeGreaterThan(10)
    })

    test('of which somebody else uses the inspector, and goes on with it', async () => {
      process.kill(Number(pid), 'SIGUSR1')
      await expect.poll(inspector).not.toBe('closed')
      expect((await inspect('cpu', '--seconds', '1')).code).toBe(0)
      // Longer than a command needs to close an inspector of its own.
      await pause(1_500)
      expect(await inspector()).not.toBe('closed')
      const close = `setTimeout(() => process.getBuiltinModule('node:inspector').close(), 1000), 0`
      await using other = await openInspector(Number(pid), 1)
      await other.call('Runtime.evaluate', { expression: close })
    })
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
