import { type ChildProcess, execFileSync, fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { Way } from '../src/postgres/account.ts'
import { createDatabase, type PostgresOptions, startPostgres } from '../src/postgres/postgres.ts'
import { makeWorkspace, processesOf, until } from './workspace.ts'

const isRoot = process.getuid?.() === 0
const hasNamespaces = isRoot && spawnSync('unshare', ['-U', '--map-user=65534', 'true']).status === 0

// Making a database takes seconds on a busy machine; most tests begin with a copy of this one.
const template = mkdtempSync(join(tmpdir(), 'gatehouse-template-'))
beforeAll(async () => {
  const postgres = await startPostgres({ dataDirectory: template, durable: false, log() {} })
  await postgres.stop()
})
afterAll(() => rmSync(template, { recursive: true }))

function makeData(): string {
  const { directory, data } = makeWorkspace()
  // mkdtemp makes it for its owner alone, and PostgreSQL may have to run as another user.
  chmodSync(directory, 0o711)
  mkdirSync(data, { mode: 0o711 })
  execFileSync('cp', ['-a', join(template, 'postgres'), data])
  return data
}

async function start(dataDirectory: string, rest: Partial<PostgresOptions> = {}) {
  const messages: string[] = []
  const log = (line: string) => messages.push(line)
  const postgres = await startPostgres({ dataDirectory, durable: false, log, ...rest })
  onTestFinished(() => postgres.stop())
  return Object.assign(postgres, { messages })
}

async function ask(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000 })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

test('it keeps its data over a restart, and its password to itself', async () => {
  const { data } = makeWorkspace()
  const first = await start(data)
  await ask(first.url, 'create table kept as select 7 as number')
  expect(statSync(join(first.home, 'password')).mode & 0o777).toBe(0o600)
  const wrong = first.url.replace(/:[0-9a-f]{48}@/, ':wrong@')
  expect(wrong).not.toBe(first.url)
  await expect(ask(wrong, 'select 1')).rejects.toThrow('password authentication failed')
  await first.stop()
  expect(processesOf(data)).toEqual([])

  const second = await start(data)
  expect(await ask(second.url, 'select number from kept')).toEqual([{ number: 7 }])
  const [server] = await ask(
    second.url,
    `select current_setting('listen_addresses') as addresses, current_setting('server_encoding') as encoding,
       current_setting('unix_socket_directories') as sockets, 'ä' < 'b' as bytewise`,
  )
  expect(server).toEqual({ addresses: '127.0.0.1', encoding: 'UTF8', sockets: '', bytewise: false })
})

test('createDatabase makes a database once', async () => {
  const { url } = await start(makeData())
  const created = await createDatabase(url, 'another "one"')
  await ask(created, 'create table kept ()')
  expect(await createDatabase(url, 'another "one"')).toBe(created)
  expect(await ask(created, 'select current_database() as name from kept')).toEqual([])
  expect(await ask(created, 'select current_database() as name')).toEqual([{ name: 'another "one"' }])
})

test('two launchers cannot have the same directory', async () => {
  const data = makeData()
  const { url } = await start(data)
  await expect(start(data)).rejects.toThrow(/is in use by another Gatehouse \(process \d+\): stop that one/)
  expect(await ask(url, 'select 1 as well')).toEqual([{ well: 1 }])
})

async function forkLauncher(data: string): Promise<{ launcher: ChildProcess; url: string; pid: number }> {
  const fixture = new URL('fixtures/postgres.ts', import.meta.url).pathname
  const launcher = fork(fixture, [data], { stdio: 'ignore' })
  onTestFinished(() => void launcher.kill('SIGKILL'))
  const [message] = (await once(launcher, 'message')) as [{ url: string; pid: number }]
  return { launcher, ...message }
}

test('it ends when its launcher is killed', async () => {
  const data = makeData()
  const { launcher } = await forkLauncher(data)
  expect(processesOf(data)).not.toEqual([])
  launcher.kill('SIGKILL')
  await until(
    () => processesOf(data),
    (left) => left.length === 0,
  )
  const again = await start(data)
  expect(await ask(again.url, 'select 1 as well')).toEqual([{ well: 1 }])
})

test.runIf(process.platform === 'linux').each([
  ['', false],
  [' behind a link', true],
])('one that was left over%s is stopped first', async (_, linked) => {
  const data = makeData()
  const folder = join(data, 'postgres')
  if (linked) {
    renameSync(folder, `${folder}-elsewhere`)
    symlinkSync(`${folder}-elsewhere`, folder)
  }
  const { launcher, url, pid } = await forkLauncher(data)
  const guard = /\(.*\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]
  const children = readFileSync(`/proc/${guard}/task/${guard}/children`, 'utf8').trim().split(' ')
  // Or it would notice that the guard is gone, and start PostgreSQL again.
  launcher.kill('SIGSTOP')
  for (const other of [guard, ...children.filter((child) => child !== String(pid))]) {
    process.kill(Number(other), 'SIGKILL')
  }
  launcher.kill('SIGKILL')
  await once(launcher, 'exit')
  expect(await ask(url, 'select 1 as well')).toEqual([{ well: 1 }])

  const next = await start(data)
  expect(next.pid).not.toBe(pid)
  expect(await ask(next.url, 'select 1 as well')).toEqual([{ well: 1 }])
  await expect(ask(url, 'select 1')).rejects.toThrow()
})

test('it is started again at the same place when it ends by itself', async () => {
  const data = makeData()
  const postgres = await start(data)
  const { pid } = postgres
  process.kill(pid, 'SIGKILL')
  await until(
    () => ask(postgres.url, 'select 1 as well').catch((error: Error) => [error.message]),
    (answer) => typeof answer[0] === 'object',
  )
  await postgres.accepting()
  expect(postgres.pid).not.toBe(pid)
  expect(postgres.messages).toEqual([
    expect.stringContaining('PostgreSQL ended unexpectedly; starting it again'),
  ])
})

test('what interrupts its making leaves nothing that hinders the next start', async () => {
  const { data } = makeWorkspace()
  const giveUp = new AbortController()
  const made = start(data, { signal: giveUp.signal })
  await until(
    () => processesOf(data).join('\n'),
    (lines) => lines.includes('data.new'),
  )
  giveUp.abort()
  await expect(made).rejects.toThrow('aborted')
  const next = await start(data)
  expect(await ask(next.url, 'select 1 as well')).toEqual([{ well: 1 }])
  expect(readdirSync(next.home).sort()).toEqual(['data', 'password'])
})

test.runIf(isRoot)('root may run it in each of the ways, one after the other, on the same data', async () => {
  const data = makeData()
  const namespaces: Way[] = hasNamespaces ? ['namespace'] : []
  const order: Way[] = [...namespaces, 'other', 'outside', ...namespaces, 'other']
  for (const [index, way] of order.entries()) {
    const postgres = await start(data, { ways: [way] })
    const place = dirname(realpathSync(postgres.home))
    if (way === 'outside') onTestFinished(() => rmSync(place, { recursive: true }))
    if (index === 0) await ask(postgres.url, 'create table starts (way text)')
    await ask(postgres.url, `insert into starts values ('${way}')`)
    expect(postgres.way).toBe(way)
    const rows = await ask(postgres.url, 'select way from starts')
    expect(rows.map((row) => row.way)).toEqual(order.slice(0, index + 1))
    await postgres.stop()
  }
})

test.runIf(isRoot)('it runs below a directory that only root may enter', async () => {
  const { directory } = makeWorkspace()
  const locked = join(directory, 'locked')
  mkdirSync(locked)
  chmodSync(locked, 0o700)
  const tries: Way[][] = hasNamespaces ? [['namespace'], ['other', 'outside']] : [['other', 'outside']]
  for (const ways of tries) {
    const postgres = await start(join(locked, ways.join('-')), { ways })
    expect(postgres.way).toBe(ways.at(-1))
    if (postgres.way === 'outside') {
      onTestFinished(() => rmSync(dirname(postgres.home), { recursive: true }))
    }
    await postgres.stop()
  }
  await expect(start(join(locked, 'no'), { ways: ['other'] })).rejects.toThrow(
    /^The embedded PostgreSQL cannot run here \(.*cd.*\): start as an ordinary user, or set OAUTH2_DATABASE_URL/,
  )
})
