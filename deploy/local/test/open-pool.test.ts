import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDatabaseUnavailable, openDatabase } from '@gatehouse/prisma/database'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startPostgres } from '../src/postgres/postgres.ts'

const errorOf = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.unreachable('it succeeded'),
    (error: unknown) => error,
  )

test('a server that ends under an open pool is "unavailable" until it is back, then all works', {
  timeout: 60_000,
}, async () => {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'outage-'))
  onTestFinished(() => rm(dataDirectory, { recursive: true, force: true }))
  const server = await startPostgres({ dataDirectory, durable: false, log() {} })
  onTestFinished(() => server.stop())
  const onConnectionLost = vi.fn()
  const database = openDatabase({
    databaseUrl: server.url,
    applicationName: 'gatehouse-test',
    poolSize: 4,
    onConnectionLost,
  })
  onTestFinished(() => database.close())
  const { pool, prisma } = database
  const ways = [
    () => pool.query('select 1'),
    () => prisma.$queryRaw`select 1`,
    () => prisma.$transaction(async (transaction) => transaction.$queryRaw`select 1`),
    () => database.ping(),
  ]

  /** Tries each way until it works, because all of them have deadlines, which a busy machine may miss. */
  const untilAllWork = async () => {
    const end = performance.now() + 20_000
    for (const way of ways) {
      for (;;) {
        const failure = await way().then(
          () => undefined,
          (error: unknown) => error,
        )
        if (failure === undefined) break
        expect(isDatabaseUnavailable(failure), String(failure)).toBe(true)
        expect(performance.now()).toBeLessThan(end)
        await sleep(20)
      }
    }
  }

  // SIGINT is PostgreSQL's fast shutdown: clients are told. SIGQUIT is the immediate one: connections just break.
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    await untilAllWork()
    const held = await pool.connect()
    await held.query('begin')
    const running = [
      errorOf(pool.query('select pg_sleep(4)')),
      errorOf(prisma.$executeRaw`select pg_sleep(4)`),
      errorOf(
        prisma.$transaction(async (transaction) => {
          await transaction.$queryRaw`select 1`
          await sleep(1000)
          await transaction.$queryRaw`select 1`
        }),
      ),
    ]
    await sleep(200)
    process.kill(server.pid, signal)
    expect((await Promise.all(running)).map(isDatabaseUnavailable)).toEqual([true, true, true])
    expect(isDatabaseUnavailable(await errorOf(held.query('select 1')))).toBe(true)
    held.release()
    await untilAllWork()
  }

  // No query is running, so the loss is only reported.
  onConnectionLost.mockClear()
  process.kill(server.pid, 'SIGINT')
  await vi.waitFor(() => expect(onConnectionLost).toHaveBeenCalledWith(expect.any(Error)), 20_000)
  expect(pool.waitingCount).toBe(0)
})
