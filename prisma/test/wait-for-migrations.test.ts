import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { startTcpProxy } from '../../test/support/servers/tcp-proxy.ts'
import { migrate, pendingMigrations } from '../src/migrate.ts'
import { migrationsDirectory, readMigrations } from '../src/migration-files.ts'
import { makeDatabase, run, silent } from './test-database.ts'

const names = (await readMigrations(migrationsDirectory)).map(({ name }) => name)

test('lists the pending migrations without changing anything', async () => {
  await using database = await makeDatabase()
  const pending = () => pendingMigrations({ databaseUrl: database.url, log: silent })
  expect(await pending()).toEqual(names)
  expect(await run(database.url, `select to_regclass('public._prisma_migrations') as found`)).toEqual([
    { found: null },
  ])
  await migrate({ databaseUrl: database.url, log: silent })
  expect(await pending()).toEqual([])
  await run(database.url, `delete from _prisma_migrations where migration_name = '${names.at(-1)}'`)
  expect(await pending()).toEqual([names.at(-1)])
})

/** Starts the command that runs before a service in a container. */
const wait = (databaseUrl: string) => start('wait-for-migrations', databaseUrl)

function start(name: string, databaseUrl: string, ...words: string[]) {
  const command = fileURLToPath(new URL(`../src/${name}-command.ts`, import.meta.url))
  const child = spawn(process.execPath, [command, ...words], {
    env: { ...process.env, OAUTH2_DATABASE_URL: databaseUrl },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (said += text))
  return { exited: once(child, 'exit'), said: () => said }
}

test('says once which migrations it waits for, and ends when the database has them', async () => {
  await using database = await makeDatabase()
  const { exited, said } = wait(database.url)
  await expect.poll(said, { timeout: 30_000 }).toBe(`waiting for the migrations ${names.join(', ')}\n`)
  await migrate({ databaseUrl: database.url, log: silent })
  expect(await exited).toEqual([0, null])
  expect(said().split('\n').slice(1)).toEqual(['the database has the tables of this release', ''])
})

test('says nothing again while the migrations are applied one by one', async () => {
  await using database = await makeDatabase()
  await migrate({ databaseUrl: database.url, log: silent })
  const last = names.slice(-2)
  const isLast = `migration_name in ('${last.join("', '")}')`
  await run(database.url, `create table kept as select * from _prisma_migrations where ${isLast}`)
  await run(database.url, `delete from _prisma_migrations where ${isLast}`)
  const apply = (name: string | undefined) =>
    run(database.url, `insert into _prisma_migrations select * from kept where migration_name = '${name}'`)
  const { exited, said } = wait(database.url)
  const line = `waiting for the migrations ${last.join(', ')}\n`
  await expect.poll(said, { timeout: 30_000 }).toBe(line)
  await apply(last[0])
  // The command looks once a second.
  await pause(2_500)
  expect(said()).toBe(line)
  await apply(last[1])
  expect(await exited).toEqual([0, null])
  expect(said()).toBe(`${line}the database has the tables of this release\n`)
})

test('waits for a database that is away, without printing its password', async () => {
  const { said } = wait('postgresql://somebody:very-secret@127.0.0.1:1/gatehouse')
  await expect.poll(said, { timeout: 30_000 }).toMatch(/^waiting for the database: .*127\.0\.0\.1:1/)
  expect(said()).not.toContain('very-secret')
})

test('fails without a database URL', async () => {
  const { exited, said } = wait('')
  expect(await exited).toEqual([1, null])
  expect(said()).toContain('OAUTH2_DATABASE_URL is not set')
})

test('migrate --wait says what it waits for, and migrates when the database is there', async () => {
  await using database = await makeDatabase()
  const { hostname, port } = new URL(database.url)
  const proxy = await startTcpProxy(hostname, Number(port))
  onTestFinished(() => proxy.close())
  await proxy.cut()
  const url = Object.assign(new URL(database.url), { hostname: '127.0.0.1', port: String(proxy.port) }).href
  const impatient = start('migrate', url)
  expect(await impatient.exited).toEqual([1, null])
  expect(impatient.said()).toMatch(/^cannot connect to the database .*\n$/)
  const { exited, said } = start('migrate', url, '--wait')
  await expect.poll(said, { timeout: 30_000 }).toMatch(/^waiting for the database: cannot connect .*\n$/)
  await proxy.mend()
  expect(await exited).toEqual([0, null])
  expect(said()).toMatch(/: up to date, \d+ migration\(s\) applied now\n$/)
})

test('migrate --wait does not wait for a database that refuses the role', async () => {
  await using database = await makeDatabase()
  const url = Object.assign(new URL(database.url), { pathname: '/there_is_no_such_database' }).href
  const { exited, said } = start('migrate', url, '--wait')
  expect(await exited).toEqual([1, null])
  expect(said()).toContain('does not exist')
})
