import { randomUUID } from 'node:crypto'
import { connect, createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { isDatabaseUnavailable, openDatabase } from '../src/database.ts'
import { makeDatabase, run } from './test-database.ts'

const options = { applicationName: 'gatehouse-test', poolSize: 4 }

const errorOf = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.unreachable('it succeeded'),
    (error: unknown) => error,
  )

test('is unavailable at once, through every kind of query, while no server listens', async () => {
  const database = openDatabase({ databaseUrl: 'postgresql://a:b@127.0.0.1:9/gatehouse', ...options })
  onTestFinished(() => database.close())
  const { pool, prisma } = database
  const start = performance.now()
  const failures = await Promise.all(
    [
      pool.query('select 1'),
      pool.connect(),
      prisma.user.count(),
      prisma.$queryRaw`select 1`,
      prisma.$transaction(async (transaction) => transaction.user.count()),
      prisma.$transaction([prisma.user.count()]),
      database.ping(),
    ].map(errorOf),
  )
  expect(failures.map(isDatabaseUnavailable)).toEqual(failures.map(() => true))
  expect(performance.now() - start).toBeLessThan(1000)
})

test('keeps its connections when its password is changed, and is unavailable to whoever needs another one', async () => {
  await using made = await makeDatabase()
  const role = `role_${randomUUID().replaceAll('-', '')}`
  await run(made.url, `create role ${role} login password 'old'`)
  await using ended = new AsyncDisposableStack()
  ended.defer(async () => void (await run(made.url, `drop role ${role}`)))
  const url = new URL(made.url)
  url.username = role
  url.password = 'old'
  const database = openDatabase({ databaseUrl: url.href, ...options })
  ended.defer(() => database.close())
  await database.pool.query('select 1')
  const running = database.pool.query('select pg_sleep(2), 1 as one')

  await run(made.url, `alter role ${role} password 'new'`)
  const failures = [
    await errorOf(database.pool.query('select 1')),
    await errorOf(database.prisma.$queryRaw`select 1`),
    await errorOf(database.prisma.$transaction(async (transaction) => transaction.user.count())),
  ]
  expect(failures.map(isDatabaseUnavailable)).toEqual([true, true, true])
  expect(String(failures[0])).toContain('password authentication failed')

  expect((await running).rows).toMatchObject([{ one: 1 }])
  expect((await database.pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
})

test('reports a server that stops answering within 1 s by the probe and 5 s by queries, and recovers', {
  timeout: 20_000,
}, async () => {
  await using made = await makeDatabase()
  const proxy = await startProxy(made.url)
  onTestFinished(() => proxy.close())
  const database = openDatabase({ databaseUrl: proxy.url, ...options })
  onTestFinished(() => database.close())
  await Promise.all(Array.from({ length: 4 }, () => database.pool.query('select pg_sleep(0.1)')))
  expect(database.pool.idleCount).toBe(4)

  proxy.silent = true
  const start = performance.now()
  const query = errorOf(database.pool.query('select 1'))
  const queryThroughPrisma = errorOf(database.prisma.$queryRaw`select 1`)
  expect(isDatabaseUnavailable(await errorOf(database.ping()))).toBe(true)
  expect(performance.now() - start).toBeLessThan(1200)
  expect(isDatabaseUnavailable(await query)).toBe(true)
  expect(isDatabaseUnavailable(await queryThroughPrisma)).toBe(true)
  expect(performance.now() - start).toBeLessThan(5500)
  // The others would cost a request five seconds each.
  await expect.poll(() => database.pool.totalCount).toBe(0)

  proxy.silent = false
  await Promise.all([database.ping(), database.pool.query('select 1'), database.prisma.$queryRaw`select 1`])
})

/** Starts a proxy to a server that can drop all data, as a broken network does. */
async function startProxy(target: string): Promise<{ url: string; silent: boolean; close(): void }> {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  const proxy = { url: '', silent: false, close() {} }
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('data', (chunk) => proxy.silent || to.write(chunk))
      from.on('error', () => to.destroy())
      from.on('close', () => to.destroy())
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(target)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as { port: number }).port)
  proxy.url = url.href
  proxy.close = () => {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  return proxy
}
