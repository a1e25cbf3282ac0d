import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { until, untilReady } from '@gatehouse/test/oauth'
import { gatehouseCommand } from '@gatehouse/test/programs/gatehouse-command'
import { run } from '@gatehouse/test/programs/run'
import { startTestSystem, type TestSystem } from '@gatehouse/test/system'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'

const password = 'correct horse battery staple'
const program = join(import.meta.dirname, '../../../deploy/cli/src/main.ts')

type Line = {
  action: string
  target: string
  cursor: string
  entry_id: string
  actor: Record<string, string>
}

describe('gatehouse audit export', { timeout: 90_000 }, () => {
  let system: TestSystem
  let directory: string
  const children: ChildProcess[] = []
  beforeAll(async () => {
    system = await startTestSystem({ OAUTH2_SEED_PASSWORD: password, OAUTH2_RATE_LIMIT_ENABLED: 'false' })
    directory = await mkdtemp(join(tmpdir(), 'gatehouse-export-'))
  })
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL')
  })
  afterAll(async () => {
    await system?.stop()
    if (directory) await rm(directory, { recursive: true, force: true })
  })

  const variables = () => ({ GATEHOUSE_URL: system.baseUrl, GATEHOUSE_PASSWORD: password })
  const { gatehouse, json } = gatehouseCommand(variables)
  const addUser = async (name: string): Promise<string> => (await json('users', 'create', name)).user_id
  const exported = async (...words: string[]): Promise<Line[]> => {
    const { code, out, err } = await gatehouse(['audit', 'export', ...words])
    expect([code, err]).toEqual([0, ''])
    return out
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
  }

  /** A process that follows the log. */
  function follow(...words: string[]) {
    const child = spawn(process.execPath, [program, 'audit', 'export', '--follow', ...words], {
      env: { ...process.env, ...variables(), GATEHOUSE_CONFIG: '/nonexistent/profiles.json' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    children.push(child)
    const lines: Line[] = []
    createInterface({ input: child.stdout }).on('line', (line) => lines.push(JSON.parse(line)))
    let errors = ''
    child.stderr.on('data', (data) => (errors += data))
    return {
      child,
      targets: () => lines.filter(({ action }) => action === 'user.create').map(({ target }) => target),
      errors: () => errors,
    }
  }

  test('writes each entry as a line, oldest first, and goes on behind a cursor', async () => {
    const first = await addUser('Ann')
    const since = new Date().toISOString()
    const [second, third] = [await addUser('Bea'), await addUser('Cleo')]
    const lines = await exported()
    expect(lines.map(({ target }) => target).slice(-3)).toEqual([first, second, third])
    expect(lines.at(-1)).toMatchObject({
      ...{ action: 'user.create', after: { username: 'Cleo' } },
      actor: { name: 'admin', ip_address: '127.0.0.1', user_agent: 'gatehouse command line' },
    })
    const behind = await exported('--cursor', lines.at(-3)?.cursor ?? '')
    expect(behind).toEqual(lines.slice(-2))
    expect(await exported('--since', since)).toEqual(lines.slice(-2))
    expect(await exported('--cursor', lines.at(-1)?.cursor ?? '')).toEqual([])
    const wrong = await gatehouse(['audit', 'export', '--follow', '--cursor', 'x'])
    expect([wrong.code, wrong.err]).toEqual([1, 'cursor is invalid.\n'])
    const open = join(directory, 'open')
    await writeFile(open, 'x', { mode: 0o644 })
    const readable = await gatehouse(['audit', 'export', '--cursor-file', open])
    const fault = `Other users of this machine may read or write ${open}, which has the cursor: chmod 600 ${open}\n`
    expect([readable.code, readable.out, readable.err]).toEqual([1, '', fault])
  })

  test('follows over restarts of every service, and then from the file with its cursor, each entry once', async () => {
    const file = join(directory, 'cursor')
    await exported('--cursor-file', file)
    const before = follow('--cursor-file', file)
    const wanted = [await addUser('user-0')]
    await until(() => before.targets().length === 1, 20_000)
    // A gateway that is back before the command asks again was not away for it.
    const away = () => {
      const { pid } = system.processes.find((one) => one.name === 'gateway') ?? {}
      if (pid !== undefined) process.kill(pid, 'SIGKILL')
      return before.errors()
    }
    await expect.poll(away, { interval: 500 }).toContain('Trying again.')
    await until(() => system.processes.every(({ pid }) => pid !== undefined), 20_000)
    await untilReady(system)
    for (const [at, name] of ['gateway', 'identity', 'token'].entries()) {
      const { pid } = system.processes.find((one) => one.name === name) ?? {}
      process.kill(pid as number, 'SIGKILL')
      await until(
        () => ![undefined, pid].includes(system.processes.find((one) => one.name === name)?.pid),
        20_000,
      )
      await untilReady(system)
      wanted.push(await addUser(`user-${at + 1}`))
      await until(() => before.targets().length === wanted.length, 30_000)
    }
    expect(before.targets()).toEqual(wanted)
    await expect.poll(before.errors).toMatch(/Trying again\.\n(.*\n)*The server is back\.\n$/)
    before.child.kill('SIGINT')
    expect(await once(before.child, 'exit')).toEqual([0, null])
    const later = await addUser('later')
    const after = follow('--cursor-file', file)
    await until(() => after.targets().length > 0, 20_000)
    expect(after.targets()).toEqual([later])
    // The file has the cursor after the line is out, and at the latest when the command ends.
    after.child.kill('SIGINT')
    expect(await once(after.child, 'exit')).toEqual([0, null])
    const kept = (await readFile(file, 'utf8')).trim()
    expect(await exported('--cursor', kept)).toEqual([])
  })

  test('ends without a failure when its reader has seen enough', async () => {
    const command = `"$0" "$1" audit export --follow | head -1; echo \${PIPESTATUS[0]}`
    const adding = until(async () => {
      await addUser(`reader-${Math.random()}`)
      return ended
    }, 60_000)
    let ended = false
    const { stdout, stderr } = await run('bash', ['-c', command, process.execPath, program], {
      env: { ...process.env, ...variables() },
    })
    ended = true
    await adding
    expect(stdout.trim().split('\n').at(-1)).toBe('0')
    expect(stderr).toBe('')
  })

  test('what is said of a deleted user is erased on request, and the entries stay', async () => {
    const id = await addUser('Forgotten-Person')
    await json('users', 'update', 'Forgotten-Person', '--given-name', 'Unforgotten')
    const early = await gatehouse(['users', 'erase', id, '--yes'])
    expect([early.code, early.err]).toEqual([1, 'This user exists: delete them first.\n'])
    await json('users', 'delete', 'Forgotten-Person', '--yes')
    expect(await json('users', 'erase', id, '--yes')).toEqual({ erased_entries: 3 })
    const { items } = await json('audit', 'list', '--target', id)
    expect(items.map(({ action }: Line) => action)).toEqual([
      ...['user.erase', 'user.delete', 'user.update', 'user.create'],
    ])
    expect(items[1]).toMatchObject({ actor: { name: 'admin' }, before: { username: 'erased' } })
    expect(JSON.stringify(items)).not.toMatch(/forgotten/i)
    expect(await json('users', 'erase', id, '--yes')).toEqual({ erased_entries: 0 })
  })
})
