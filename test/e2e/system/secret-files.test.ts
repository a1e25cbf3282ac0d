import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { runCommand } from '@gatehouse/cli/program'
import { type System, startSystem } from '@gatehouse/local/system'
import { startToolServer, type ToolServer, toolFolder } from '@gatehouse/test/postgres/postgres-tools'
import { requestsTo } from '@gatehouse/test/system'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'

describe.skipIf(toolFolder === undefined)('a system whose secrets are in files', () => {
  let server: ToolServer
  let directory: string
  let system: System
  const file = (name: string) => join(directory, name)
  const urlWith = (password: string) =>
    Object.assign(new URL(server.url), { username: 'gatehouse', password, pathname: '/gatehouse' }).href

  async function query(text: string) {
    const client = new Client({ connectionString: server.url })
    await client.connect()
    return client.query(text).finally(() => client.end())
  }

  const variables = () => ({
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    GATEHOUSE_DATA_DIR: file('data'),
    OAUTH2_SERVER_HOST: '127.0.0.1',
    OAUTH2_SERVER_PORT: '0',
    OAUTH2_RATE_LIMIT_ENABLED: 'false',
    OAUTH2_DATABASE_URL_FILE: file('database-url'),
    OAUTH2_JWT_SECRET_FILE: file('jwt-secret'),
    OAUTH2_SESSION_KEY_FILE: file('session-key'),
    OAUTH2_FACTOR_KEY_FILE: file('factor-key'),
    OAUTH2_SEED_PASSWORD_FILE: file('seed-password'),
  })
  const start = (changes: Record<string, string> = {}) =>
    startSystem({ env: { ...variables(), ...changes }, log: () => undefined, startTimeout: 100_000 })

  beforeAll(async () => {
    server = await startToolServer(toolFolder, true)
    directory = await mkdtemp(join(tmpdir(), 'gatehouse-secrets-'))
    await query(`create role gatehouse login password 'first'`)
    await query('create database gatehouse owner gatehouse')
    await writeFile(file('database-url'), `${urlWith('first')}\n`)
    for (const name of ['jwt-secret', 'session-key', 'factor-key'])
      await writeFile(file(name), `the ${name} in a file, which is of more than 32 bytes\n`)
    await writeFile(file('seed-password'), 'of the administrator\n')
    system = await start()
  }, 120_000)
  afterAll(async () => {
    await system?.stop()
    await server?.stop()
    await rm(directory, { recursive: true, force: true })
  })

  async function backends(): Promise<number[]> {
    const { rows } = await query(`select pid from pg_stat_activity where usename = 'gatehouse'`)
    return rows.map(({ pid }) => pid)
  }

  test('takes a changed password of the database while requests go on, without a restart', async () => {
    const pids = () => system.processes.map(({ pid }) => pid)
    const [before, old] = [pids(), await backends()]
    const { register, form } = requestsTo(system.baseUrl)
    const { client_id, client_secret } = await register()
    const credentials = { grant_type: 'client_credentials', client_id, client_secret }
    const answers: number[] = []
    let going = true
    onTestFinished(() => {
      going = false
    })
    const requests = Array.from({ length: 4 }, async () => {
      for (; going; await sleep(10)) answers.push((await form('/oauth/token', credentials)).status)
    })
    await expect.poll(() => answers.length).toBeGreaterThan(100)
    await query(`alter role gatehouse password 'second'`)
    await writeFile(file('database-url'), urlWith('second'))
    // An idle connection closes after 30 s, and an elected replica looks at its own once a minute.
    await expect
      .poll(async () => (await backends()).filter((pid) => old.includes(pid)), { timeout: 90_000 })
      .toEqual([])
    const count = answers.length
    await expect.poll(() => answers.length).toBeGreaterThan(count + 100)
    going = false
    await Promise.all(requests)
    expect(new Set(answers)).toEqual(new Set([200]))
    expect(pids()).toEqual(before)
    const log = await readFile(file('data/logs/token.log'), 'utf8')
    expect(log).toContain('"variable":"OAUTH2_DATABASE_URL","msg":"the secret was read again"')
  }, 150_000)

  test('is administered by the command line with a password in a file', async () => {
    const command = async (environment: Record<string, string>) => {
      const [output, errors] = [new PassThrough(), new PassThrough()]
      const terminal = { input: process.stdin, output, errors } as unknown as Parameters<typeof runCommand>[2]
      const url = { GATEHOUSE_URL: system.baseUrl, XDG_CONFIG_HOME: directory }
      const code = await runCommand(['users', 'list'], { ...url, ...environment }, terminal)
      return { code, text: `${output.read() ?? ''}${errors.read() ?? ''}` }
    }
    const right = await command({ GATEHOUSE_PASSWORD_FILE: file('seed-password') })
    expect(right).toEqual({ code: 0, text: expect.stringContaining('admin') })
    expect(await command({ GATEHOUSE_PASSWORD_FILE: file('nowhere') })).toEqual({
      code: 2,
      text: `GATEHOUSE_PASSWORD_FILE names ${file('nowhere')}, which cannot be read: no such file or directory\n`,
    })
  })

  test('shows no piece of a secret in its logs', async () => {
    for (const name of await readdir(file('data/logs'))) {
      const log = await readFile(file(`data/logs/${name}`), 'utf8')
      expect(log, name).not.toMatch(/:(first|second)@|in a file, which|of the administrator/)
    }
  })

  test('says in a sentence when a secret is given twice or its file is empty', async () => {
    await expect(start({ OAUTH2_JWT_SECRET: 'another one' })).rejects.toThrow(
      /^OAUTH2_JWT_SECRET and OAUTH2_JWT_SECRET_FILE are both set: keep one of them$/,
    )
    await writeFile(file('empty'), '')
    await expect(start({ OAUTH2_SESSION_KEY_FILE: file('empty') })).rejects.toThrow(
      `OAUTH2_SESSION_KEY_FILE names ${file('empty')}, which is empty`,
    )
  })
})
