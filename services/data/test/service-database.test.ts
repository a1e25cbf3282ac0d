import { createLog } from '@gatehouse/kit/telemetry/log'
import { createRegistry } from '@gatehouse/kit/telemetry/metrics'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createDatabase } from '../../../test/support/postgres/database.ts'
import { program } from '../../../test/support/programs/programs.ts'
import { startPgbouncer } from '../../../test/support/servers/pgbouncer.ts'
import { openServiceDatabase } from '../src/service-database.ts'

const pgbouncer = await program('pgbouncer')

afterEach(() => void vi.restoreAllMocks())

function contextWith(databaseUrl: string) {
  const steps: (() => unknown)[] = []
  onTestFinished(async () => {
    for (const step of steps.reverse()) await step()
  })
  return {
    name: 'token',
    config: {
      OAUTH2_DATABASE_URL: databaseUrl,
      OAUTH2_DATABASE_POOL_SIZE: 2,
      OAUTH2_DATABASE_POOLER: 'session',
    },
    log: createLog('token', 'silent', false),
    registry: createRegistry('1.0.0'),
    certificates: undefined,
    stopping: new AbortController().signal,
    onShutdown: (step: () => unknown) => void steps.push(step),
  } as unknown as Parameters<typeof openServiceDatabase>[0]
}

describe.skipIf(!pgbouncer)('a pooler in transaction mode', () => {
  async function poolerInTransactionMode() {
    const database = await createDatabase()
    const pooler = await startPgbouncer(pgbouncer as string, database.url, { pool_mode: 'transaction' })
    onTestFinished(async () => {
      await pooler.close()
      await database.drop()
    })
    return pooler
  }

  test('ends a start', async () => {
    const pooler = await poolerInTransactionMode()
    await expect(openServiceDatabase(contextWith(pooler.url))).rejects.toThrow(
      'behind a pooler in transaction or statement mode',
    )
  })

  test('ends a process that started while it was away, so that a restart says why', async () => {
    const pooler = await poolerInTransactionMode()
    await pooler.kill()
    const exit = vi.spyOn(process, 'exit').mockImplementation((() => {}) as never)
    const written: string[] = []
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0)
    await openServiceDatabase(contextWith(pooler.url))
    expect(exit).not.toHaveBeenCalled()
    await pooler.start()
    await expect.poll(() => exit.mock.calls[0], { timeout: 30_000 }).toEqual([78])
    expect(written.join('')).toMatch(
      /^token: the database .* is behind a pooler in transaction or statement mode, .*\n$/,
    )
  })
})
