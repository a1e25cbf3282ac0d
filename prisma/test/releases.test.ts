import { cp, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { migrate } from '../src/migrate.ts'
import { migrationsDirectory } from '../src/migration-files.ts'
import { lastMigrations } from '../src/releases.ts'
import { makeDatabase, run, silent } from './test-database.ts'

/** Makes a database with the tables of a release. */
async function databaseOf(release: string) {
  const last = new Map(lastMigrations).get(release) ?? ''
  const directory = await mkdtemp(join(tmpdir(), 'migrations-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const filter = (path: string) => !/^\d{14}_/.test(basename(path)) || basename(path) <= last
  await cp(migrationsDirectory, directory, { recursive: true, filter })
  const database = await makeDatabase()
  onTestFinished(() => database[Symbol.asyncDispose]())
  await migrate({ databaseUrl: database.url, directory, log: silent })
  return database.url
}

const aClient = `insert into clients.clients (client_id, client_name, scope, token_endpoint_auth_method)
  values ('client_a', 'app', 'read', 'none')`

test('the last release of the changelog has its last migration in the list', async () => {
  const changelog = await readFile(new URL('../../CHANGELOG.md', import.meta.url), 'utf8')
  const [, release] = /^## (\d+\.\d+\.\d+)/m.exec(changelog) ?? []
  expect(lastMigrations.at(-1)?.[0]).toBe(release)
})

test('a database of the release before is migrated', async () => {
  const [release] = lastMigrations.at(-1) ?? ['']
  const databaseUrl = await databaseOf(release)
  await run(databaseUrl, aClient)
  expect((await migrate({ databaseUrl, log: silent })).length).toBeGreaterThan(0)
})

test('a database that skips a release is refused in one sentence, and stays as it is', async () => {
  const databaseUrl = await databaseOf('0.6.0')
  await run(databaseUrl, aClient)
  const count = 'select count(*)::int as count from public._prisma_migrations'
  const before = await run(databaseUrl, count)
  await expect(migrate({ databaseUrl, log: silent })).rejects.toThrow(
    /^the database is at 0\.6\.0, and this release upgrades from 0\.7\.0: upgrade to 0\.7\.0 first$/,
  )
  expect(await run(databaseUrl, count)).toEqual(before)
})

test('a first migration that was interrupted goes on', async () => {
  const databaseUrl = await databaseOf('0.6.0')
  expect((await migrate({ databaseUrl, log: silent })).length).toBeGreaterThan(0)
})
