import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import {
  type DatabaseOptions,
  isBadInput,
  isDatabaseUnavailable,
  isMissingPartition,
  openDatabase,
} from '../src/database.ts'
import { makeMigratedDatabase, run } from './test-database.ts'

async function open(options: Partial<DatabaseOptions> = {}) {
  const made = await makeMigratedDatabase()
  const database = openDatabase({
    databaseUrl: made.url,
    applicationName: 'gatehouse-test',
    poolSize: 2,
    ...options,
  })
  return {
    ...database,
    url: made.url,
    async [Symbol.asyncDispose]() {
      await database.close()
      await made[Symbol.asyncDispose]()
    },
  }
}

const client = (clientId: string) => ({
  clientId,
  clientName: 'Name',
  scope: 'read',
  tokenEndpointAuthMethod: 'client_secret_basic',
})

const token = () => [new Date('2030-01-01T12:00:00Z'), randomUUID(), randomUUID(), 'client_a', 'read']
const insertToken = `insert into token.access_tokens (expires_at, jti, grant_id, client_id, scope) values ($1, $2, $3, $4, $5)`

const errorOf = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.unreachable('it succeeded'),
    (error: unknown) => error,
  )

test('Prisma and the pool share connections with the given application name', async () => {
  await using database = await open({ poolSize: 1 })
  const [viaPrisma] = await database.prisma.$queryRaw<unknown[]>`
    select pg_backend_pid() as pid, current_setting('application_name') as name`
  const { rows } = await database.pool.query('select pg_backend_pid() as pid')
  expect(viaPrisma).toEqual({ pid: rows[0].pid, name: 'gatehouse-test' })
})

test('writes and reads every column through Prisma', async () => {
  await using database = await open()
  const { prisma } = database
  const created = await prisma.client.create({
    data: {
      ...client('client_a'),
      redirectUris: ['https://a.example/cb'],
      grantTypes: ['authorization_code'],
      secrets: { create: { secretDigest: new Uint8Array([1, 2]) } },
    },
    include: { secrets: true },
  })
  expect(created).toMatchObject({ firstParty: false, disabledAt: null, revision: expect.any(BigInt) })
  expect([...(created.secrets[0]?.secretDigest ?? [])]).toEqual([1, 2])
  const user = await prisma.user.create({ data: { username: 'Ann' } })
  expect(user).toMatchObject({ isAdmin: false, passwordHash: null })
  await prisma.client.delete({ where: { clientId: 'client_a' } })
  expect(await prisma.clientSecret.count()).toBe(0)
})

test('gives a client a new revision with every change of it or its secrets', async () => {
  await using database = await open()
  const { prisma } = database
  const revision = async () =>
    (await prisma.client.findUniqueOrThrow({ where: { clientId: 'client_a' } })).revision
  const seen = new Set([(await prisma.client.create({ data: client('client_a') })).revision])
  const where = { clientId: 'client_a' }
  const updated = await prisma.client.update({ where, data: { disabledAt: new Date() } })
  expect(await revision()).toBe(updated.revision)
  seen.add(updated.revision)
  await prisma.clientSecret.create({ data: { ...where, secretDigest: new Uint8Array([1]) } })
  seen.add(await revision())
  await prisma.clientSecret.updateMany({ where, data: { expiresAt: new Date() } })
  seen.add(await revision())
  await prisma.clientSecret.deleteMany({ where })
  seen.add(await revision())
  expect(seen.size).toBe(5)
})

test('refuses user names that differ only in case', async () => {
  await using database = await open()
  await database.prisma.user.create({ data: { username: 'Ann' } })
  const failure = await errorOf(database.prisma.user.create({ data: { username: 'aNN' } }))
  expect(failure).toMatchObject({ code: 'P2002' })
  expect(isBadInput(failure)).toBe(true)
})

test('stores access tokens in partitions, and distinguishes a missing partition from bad input', async () => {
  await using database = await open()
  const { pool, prisma } = database
  const failure = await errorOf(pool.query(insertToken, token()))
  expect([isMissingPartition(failure), isBadInput(failure), isDatabaseUnavailable(failure)]).toEqual([
    true,
    false,
    false,
  ])
  await run(
    database.url,
    'create table token.access_tokens_20300101 (like token.access_tokens including all)',
    `alter table token.access_tokens attach partition token.access_tokens_20300101
     for values from ('2030-01-01') to ('2030-01-02')`,
  )
  const values = token()
  await pool.query(insertToken, values)
  const duplicate = await errorOf(pool.query(insertToken, values))
  expect([isMissingPartition(duplicate), isBadInput(duplicate)]).toEqual([false, true])
  const [expiresAt, jti] = values as [Date, string]
  const found = await prisma.accessToken.findUnique({ where: { expiresAt_jti: { expiresAt, jti } } })
  expect(found).toMatchObject({ jti, clientId: 'client_a', userId: null, revokedAt: null })
  const { rows } = await pool.query('select tableoid::regclass::text as name from token.access_tokens')
  expect(rows).toEqual([{ name: 'token.access_tokens_20300101' }])
})

test('recognizes bad input by its class, also through Prisma, whatever text the error quotes', async () => {
  await using database = await open()
  const { pool, prisma } = database
  const failures = await Promise.all(
    [
      pool.query('select $1::uuid', ['Query read timeout']),
      pool.query('select $1::text', ['nul\0']),
      prisma.user.findUnique({ where: { id: 'Query read timeout' } }),
      prisma.client.create({ data: client('nul\0') }),
      prisma.clientSecret.create({ data: { clientId: 'nobody', secretDigest: new Uint8Array(1) } }),
      prisma.revocation.create({
        data: { kind: 'other', id: 'a', issuedBefore: new Date(), expiresAt: new Date() },
      }),
      prisma.$executeRaw`select ${'Query read timeout'}::uuid`,
    ].map(errorOf),
  )
  expect(failures.map(isBadInput)).toEqual(failures.map(() => true))
  expect(failures.map(isDatabaseUnavailable)).toEqual(failures.map(() => false))
  const mistake = await errorOf(pool.query('select nonsense'))
  expect([isBadInput(mistake), isDatabaseUnavailable(mistake)]).toEqual([false, false])
  expect([isBadInput(undefined), isDatabaseUnavailable('text')]).toEqual([false, false])
})

test('is unavailable after 2 s when all connections are taken, while the probe still answers', async () => {
  await using database = await open({ poolSize: 1 })
  const taken = await database.pool.connect()
  try {
    const start = performance.now()
    const waiting = [
      database.pool.query('select 1'),
      database.prisma.user.count(),
      database.prisma.$transaction(async (transaction) => transaction.user.count()),
    ].map(errorOf)
    await database.ping()
    expect(performance.now() - start).toBeLessThan(1000)
    expect((await Promise.all(waiting)).map(isDatabaseUnavailable)).toEqual([true, true, true])
    expect(performance.now() - start).toBeLessThan(3500)
  } finally {
    taken.release()
  }
})

test('cancels a statement after 5 s as unavailable', { timeout: 10_000 }, async () => {
  await using database = await open()
  const failures = await Promise.all([
    errorOf(database.pool.query('select pg_sleep(8)')),
    errorOf(database.prisma.$executeRaw`select pg_sleep(8)`),
  ])
  expect(failures.map(isDatabaseUnavailable)).toEqual([true, true])
})

test('does not reuse a connection that was released inside a transaction', async () => {
  await using database = await open({ poolSize: 1 })
  const first = await database.pool.connect()
  await first.query('begin')
  const before = await first.query('select pg_backend_pid() as pid')
  first.release()
  const after = await database.pool.query(
    'select pg_backend_pid() as pid, now() = statement_timestamp() as alone',
  )
  expect(after.rows[0].pid).not.toBe(before.rows[0].pid)
  expect(after.rows[0].alone).toBe(true)
  await database.pool.query('select 1')
  const again = await database.pool.query('select pg_backend_pid() as pid')
  expect(again.rows[0].pid).toBe(after.rows[0].pid)
})

test('observes every query once, with a name without variable parts, in its caller’s context', async () => {
  const context = new AsyncLocalStorage<string>()
  const seen: [string, string | undefined][] = []
  const observe = (operation: string, seconds: number) => {
    expect(seconds).toBeGreaterThan(0)
    expect(seconds).toBeLessThan(2)
    seen.push([operation, context.getStore()])
  }
  await using database = await open({ observe, poolSize: 1 })
  const { pool, prisma } = database
  await Promise.all([
    context.run('a', () => pool.query({ name: 'find-tokens', text: 'select 1' })),
    context.run('b', () => pool.query('select from token.access_tokens where expires_at = now()')),
    // A Prisma query begins only when it is awaited.
    context.run('c', async () => await prisma.user.findMany()),
    context.run('d', () => errorOf(pool.query('insert into token.access_tokens_20300101 values (1)'))),
  ])
  expect(seen.sort()).toEqual([
    ['find-tokens', 'a'],
    ['insert token.access_tokens_', 'd'],
    ['select identity.users', 'c'],
    ['select token.access_tokens', 'b'],
  ])
  seen.length = 0
  await prisma.$transaction(async (transaction) => transaction.user.deleteMany())
  expect(seen.map(([operation]) => operation)).toEqual(['begin', 'delete identity.users', 'commit'])
})

test('observes the wait for a connection separately from the query', async () => {
  const observeWait = vi.fn()
  await using database = await open({ observeWait, poolSize: 1 })
  await database.pool.query('select 1')
  observeWait.mockClear()
  await Promise.all([database.pool.query('select pg_sleep(0.2)'), database.pool.query('select 1')])
  const [first, second] = observeWait.mock.calls.map(([seconds]) => seconds)
  expect(first).toBeLessThan(0.1)
  expect(second).toBeGreaterThan(0.19)
  expect(observeWait).toHaveBeenCalledTimes(2)
})
