import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRegistry } from '@gatehouse/kit/telemetry/metrics'
import { expect, onTestFinished, test, vi } from 'vitest'
import { run } from '../../../prisma/test/test-database.ts'
import { startToolServer, toolFolder } from '../../../test/support/postgres/postgres-tools.ts'
import { recordedLog } from '../../kit/testing/recorded-log.ts'
import { openServiceDatabase } from '../src/service-database.ts'

const hasServer = toolFolder !== undefined

/** Two replicas of a process whose database is in a file, and requests that go on until the end. */
async function startReplicas() {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-password-'))
  const server = await startToolServer(toolFolder, true)
  const steps: (() => unknown)[] = [() => rmSync(directory, { recursive: true }), () => server.stop()]
  onTestFinished(async () => {
    for (const step of steps.reverse()) await step()
  })
  await run(server.url, `create role gatehouse login password 'first'`)
  const file = join(directory, 'database-url')
  const urlWith = (password: string) =>
    Object.assign(new URL(server.url), { username: 'gatehouse', password }).href
  writeFileSync(file, urlWith('first'))
  vi.stubEnv('OAUTH2_DATABASE_URL_FILE', file)
  steps.push(() => vi.unstubAllEnvs())
  const { log, lines } = recordedLog('info')
  const ending = new AbortController()
  const failures: unknown[] = []
  let answered = 0
  const open = async () => {
    const context = {
      name: 'token',
      config: {
        OAUTH2_DATABASE_URL: urlWith('first'),
        OAUTH2_DATABASE_POOL_SIZE: 4,
        OAUTH2_DATABASE_POOLER: 'session',
      },
      log,
      registry: createRegistry('1.0.0'),
      stopping: new AbortController().signal,
      onShutdown: (step: () => unknown) => void steps.push(step),
    }
    const { pool } = await openServiceDatabase(
      context as unknown as Parameters<typeof openServiceDatabase>[0],
    )
    const requests = Array.from({ length: 4 }, async () => {
      for (; !ending.signal.aborted; await sleep(5))
        await pool.query('select pg_sleep(0.005)').then(
          () => answered++,
          (error) => failures.push(error),
        )
    })
    steps.push(async () => {
      ending.abort()
      await Promise.all(requests)
    })
  }
  await open()
  await open()
  await expect.poll(async () => (await backends()).length).toBe(8)

  async function backends(): Promise<number[]> {
    const rows = await run(server.url, `select pid from pg_stat_activity where usename = 'gatehouse'`)
    return (rows as { pid: number }[]).map(({ pid }) => pid)
  }
  return {
    backends,
    change: () => run(server.url, `alter role gatehouse password 'second'`),
    write: () => writeFileSync(file, `${urlWith('second')}\n`),
    outcome: () => ({ failures, messages: lines.map(({ msg }) => msg).sort() }),
    answered: () => answered,
    text: () => JSON.stringify(lines),
  }
}

const read = 'the secret was read again'

/** Waits until no connection is left from before, and requests go on. */
async function expectNew({ backends, answered }: Awaited<ReturnType<typeof startReplicas>>, old: number[]) {
  await expect
    .poll(async () => (await backends()).filter((pid) => old.includes(pid)), { timeout: 15_000 })
    .toEqual([])
  const before = answered()
  await expect.poll(answered).toBeGreaterThan(before + 100)
}

test.skipIf(!hasServer)(
  'a changed password replaces all connections of two replicas, and no request fails',
  async () => {
    const replicas = await startReplicas()
    const old = await replicas.backends()
    await replicas.change()
    replicas.write()
    await expectNew(replicas, old)
    expect(replicas.outcome()).toEqual({ failures: [], messages: [read, read] })
    expect(replicas.text()).not.toMatch(/first|second/)
  },
  60_000,
)

test.skipIf(!hasServer)(
  'a password that is in the file before the role has it is taken when it has it, and no request fails',
  async () => {
    const replicas = await startReplicas()
    const old = await replicas.backends()
    replicas.write()
    const fails = 'failed; will be tried again'
    await expect.poll(() => replicas.outcome().messages, { timeout: 15_000 }).toEqual([fails, fails])
    expect(await replicas.backends()).toEqual(expect.arrayContaining(old))
    await replicas.change()
    await expectNew(replicas, old)
    const messages = [fails, fails, read, read, 'works again', 'works again']
    await expect.poll(() => replicas.outcome()).toEqual({ failures: [], messages })
    expect(replicas.text()).not.toMatch(/first|second/)
  },
  60_000,
)
