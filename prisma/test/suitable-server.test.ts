import { ConfigurationError } from '@gatehouse/kit/config/configuration-error'
import { expect, test } from 'vitest'
import { openDatabase } from '../src/database.ts'
import { migrate, pendingMigrations } from '../src/migrate.ts'
import { makeDatabase, run, silent } from './test-database.ts'

test('a server older than 15 is refused in one line, by migrate, by what waits for it and by services', async () => {
  await using made = await makeDatabase()
  // It claims to be older, because a version that old has no package here.
  await run(
    made.url,
    'create schema old',
    `create function old.current_setting(name text) returns text language sql as
      $$ select case name when 'server_version' then '14.9' when 'server_version_num' then '140009' end $$`,
    `alter database ${new URL(made.url).pathname.slice(1)} set search_path = old, pg_catalog`,
  )
  const { host, pathname } = new URL(made.url)
  const text = `the database ${host}${pathname} is PostgreSQL 14.9, which is too old: Gatehouse needs PostgreSQL 15 or newer`
  const database = openDatabase({ databaseUrl: made.url, applicationName: 'gatehouse-test', poolSize: 2 })
  const attempts = [
    () => migrate({ databaseUrl: made.url, log: silent }),
    () => pendingMigrations({ databaseUrl: made.url, log: silent }),
    () => database.requireSuitable(),
  ]
  for (const attempt of attempts) {
    const refusal = await attempt().catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(ConfigurationError)
    expect((refusal as Error).message).toBe(text)
  }
  await database.close()
  expect(await run(made.url, 'select to_regclass($$public._prisma_migrations$$) as made')).toEqual([
    { made: null },
  ])
})
