import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { migrate } from '../src/migrate.ts'
import { migrationsDirectory, readMigrations } from '../src/migration-files.ts'
import { makeDatabase, run, silent } from './test-database.ts'

const names = (await readMigrations(migrationsDirectory)).map(({ name }) => name)

async function makeMigrations(files: Record<string, string>): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'migrations-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  for (const [name, sql] of Object.entries(files)) {
    await mkdir(join(directory, name))
    await writeFile(join(directory, name, 'migration.sql'), sql)
  }
  return directory
}

test('applies every migration to a new database, oldest first, and nothing in a second run', async () => {
  await using database = await makeDatabase()
  expect(await migrate({ databaseUrl: database.url, log: silent })).toEqual(names)
  expect(await migrate({ databaseUrl: database.url, log: silent })).toEqual([])
  const schemas = await run(
    database.url,
    `select nspname from pg_namespace where nspname in ('token', 'clients', 'identity', 'events')`,
  )
  expect(schemas).toHaveLength(4)
})

test('applies each migration once when four processes start together', async () => {
  await using database = await makeDatabase()
  const results = await Promise.all(
    [1, 2, 3, 4].map(() => migrate({ databaseUrl: database.url, log: silent })),
  )
  expect(results.flat().sort()).toEqual(names)
  expect(await run(database.url, 'select migration_name from _prisma_migrations')).toHaveLength(names.length)
})

test('says that it waits for another process, and continues when that one dies', async () => {
  await using database = await makeDatabase()
  const holder = run(database.url, 'select pg_advisory_lock(72707369)', 'select pg_sleep(0.5)')
  await sleep(200)
  const info = vi.fn()
  const applied = await migrate({ databaseUrl: database.url, log: { ...silent, info } })
  expect(info.mock.calls[0]?.[1]).toContain('waiting')
  expect(applied).toEqual(names)
  await holder
})

test('tries a migration again that a request of this moment was preferred to', async () => {
  await using database = await makeDatabase()
  await run(database.url, 'create table first (id int)', 'create table second (id int)')
  const directory = await makeMigrations({
    '20300101000000_both':
      'lock table first in access exclusive mode; alter table second add column more int;',
  })
  const warn = vi.fn()
  const request = run(
    database.url,
    'begin',
    'lock table second in access share mode',
    'select pg_sleep(0.5)',
    // Now each waits for the other, and the one that waits for longer is ended.
    'lock table first in access share mode',
    'commit',
  )
  await sleep(200)
  expect(await migrate({ databaseUrl: database.url, log: { ...silent, warn }, directory })).toHaveLength(1)
  await request
  expect(warn).toHaveBeenCalledTimes(1)
  expect(warn.mock.calls[0]?.[0].reason).toContain('deadlock')
})

test('keeps exactly the table of migrations that Prisma creates and reads', async () => {
  await using database = await makeDatabase()
  await migrate({ databaseUrl: database.url, log: silent })
  const columns = await run(
    database.url,
    `select column_name, data_type, character_maximum_length as length, is_nullable, column_default
     from information_schema.columns where table_schema = 'public' and table_name = '_prisma_migrations'
     order by ordinal_position`,
  )
  expect(columns.map((column) => Object.values(column))).toEqual([
    ['id', 'character varying', 36, 'NO', null],
    ['checksum', 'character varying', 64, 'NO', null],
    ['finished_at', 'timestamp with time zone', null, 'YES', null],
    ['migration_name', 'character varying', 255, 'NO', null],
    ['logs', 'text', null, 'YES', null],
    ['rolled_back_at', 'timestamp with time zone', null, 'YES', null],
    ['started_at', 'timestamp with time zone', null, 'NO', 'now()'],
    ['applied_steps_count', 'integer', null, 'NO', '0'],
  ])
  const [row] = await run(
    database.url,
    'select *, finished_at >= started_at as ended from _prisma_migrations',
  )
  expect(row).toMatchObject({ ended: true, logs: null, rolled_back_at: null, applied_steps_count: 1 })
  expect(row?.checksum).toMatch(/^[0-9a-f]{64}$/)
})

test('refuses a migration whose file changed after it was applied, and applies nothing else', async () => {
  await using database = await makeDatabase()
  const before = await makeMigrations({ '1_a': 'create table a ()' })
  const after = await makeMigrations({ '1_a': 'create table a (b int)', '2_b': 'create table b ()' })
  await migrate({ databaseUrl: database.url, directory: before, log: silent })
  const second = migrate({ databaseUrl: database.url, directory: after, log: silent })
  await expect(second).rejects.toThrow(/^migration 1_a was changed after it was applied/)
  expect(await run(database.url, `select from pg_class where relname = 'b'`)).toEqual([])
})

test('rolls a failed migration back, keeps those before it, and runs it again when it is repaired', async () => {
  await using database = await makeDatabase()
  const broken = await makeMigrations({
    '1_a': 'create table a ()',
    '2_b': 'create table b (); select 1/0',
    '3_c': 'create table c ()',
  })
  await expect(migrate({ databaseUrl: database.url, directory: broken, log: silent })).rejects.toThrow(
    'migration 2_b failed and was rolled back: division by zero',
  )
  expect(await run(database.url, `select relname from pg_class where relname in ('a', 'b', 'c')`)).toEqual([
    { relname: 'a' },
  ])
  await writeFile(join(broken, '2_b', 'migration.sql'), 'create table b ()')
  expect(await migrate({ databaseUrl: database.url, directory: broken, log: silent })).toEqual(['2_b', '3_c'])
})

test('stops at a migration that Prisma began and never finished, but not at one that it rolled back', async () => {
  await using database = await makeDatabase()
  const directory = await makeMigrations({ '1_a': 'create table a ()' })
  await migrate({ databaseUrl: database.url, directory, log: silent })
  await run(
    database.url,
    `insert into _prisma_migrations (id, checksum, migration_name) values ('x', 'y', '2_b')`,
  )
  const again = () => migrate({ databaseUrl: database.url, directory, log: silent })
  await expect(again()).rejects.toThrow(/^migration 2_b was begun but never finished/)
  await run(database.url, `update _prisma_migrations set rolled_back_at = now() where id = 'x'`)
  expect(await again()).toEqual([])
})

test('only warns about a database that is newer than this release', async () => {
  await using database = await makeDatabase()
  const newer = await makeMigrations({ '1_a': 'create table a ()', '2_b': 'create table b ()' })
  const older = await makeMigrations({ '1_a': 'create table a ()' })
  await migrate({ databaseUrl: database.url, directory: newer, log: silent })
  const warn = vi.fn()
  const applied = await migrate({ databaseUrl: database.url, directory: older, log: { ...silent, warn } })
  expect(applied).toEqual([])
  expect(warn.mock.calls).toEqual([[{ migrations: ['2_b'] }, expect.stringContaining('newer')]])
})

test('needs only the right to read on a migrated database', async () => {
  await using database = await makeDatabase()
  await migrate({ databaseUrl: database.url, log: silent })
  const role = new URL(database.url).pathname.slice(1)
  await run(
    database.url,
    `create role ${role} login password 'reader'`,
    `grant select on _prisma_migrations to ${role}`,
  )
  const url = new URL(database.url)
  url.username = role
  url.password = 'reader'
  try {
    expect(await migrate({ databaseUrl: url.href, log: silent })).toEqual([])
  } finally {
    await run(database.url, `drop owned by ${role}`, `drop role ${role}`)
  }
})

test('reports a failed connection in one line, without the password', async () => {
  const failure = await migrate({
    databaseUrl: 'postgresql://somebody:s3cret@127.0.0.1:9/gatehouse',
    log: silent,
  }).catch((error: Error) => error.message)
  expect(failure).toBe(
    'cannot connect to the database 127.0.0.1:9/gatehouse: connect ECONNREFUSED 127.0.0.1:9; ' +
      'is it running, and is OAUTH2_DATABASE_URL right?',
  )
})

test('gives up after 5 s on a server that accepts the connection and does not answer', {
  timeout: 10_000,
}, async () => {
  const server = createServer(() => {}).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  const start = performance.now()
  const attempt = migrate({ databaseUrl: `postgresql://a@127.0.0.1:${port}/gatehouse`, log: silent })
  await expect(attempt).rejects.toThrow(
    /^cannot connect to the database 127\.0\.0\.1:\d+\/gatehouse: timeout/,
  )
  expect(performance.now() - start).toBeLessThan(6000)
})
