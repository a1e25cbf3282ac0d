import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { migrate } from '../src/migrate.ts'
import { migrationsDirectory } from '../src/migration-files.ts'
import { makeDatabase, run, silent } from './test-database.ts'

/** The first migration that knows unused registrations. */
const first = '20261129090002_registration_uses'

/** Copies the migrations whose names are wanted. */
async function copyMigrations(isWanted: (name: string) => boolean): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'migrations-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const filter = (path: string) => !/^\d{14}_/.test(basename(path)) || isWanted(basename(path))
  await cp(migrationsDirectory, directory, { recursive: true, filter })
  return directory
}

test('the clients from before an upgrade are kept, and only those', async () => {
  await using database = await makeDatabase()
  const directory = await copyMigrations((name) => name < first)
  await migrate({ databaseUrl: database.url, directory, log: silent })
  const add = (clientId: string) => `
    insert into clients.clients (client_id, client_name, scope, token_endpoint_auth_method)
    values ('${clientId}', 'app', 'read', 'none')`
  await run(database.url, add('client_a'), add('client_b'))
  const ofRelease = await copyMigrations((name) => name <= '20261129130000_forgotten_clients')
  await migrate({ databaseUrl: database.url, directory: ofRelease, log: silent })
  await migrate({ databaseUrl: database.url, log: silent })
  await run(database.url, add('client_c'))
  expect(
    await run(
      database.url,
      'select client_id, managed_at from clients.registration_uses where kept_since <= now() order by client_id',
    ),
  ).toEqual([
    { client_id: 'client_a', managed_at: null },
    { client_id: 'client_b', managed_at: null },
  ])
})
