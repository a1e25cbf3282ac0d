import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { migrationTarget } from '../src/database-url.ts'
import { migrate } from '../src/migrate.ts'
import { makeDatabase, run, silent } from './test-database.ts'

/** A database, a role that may migrate it, and one for the services; their names need quotes. */
async function databaseWithRoles() {
  const database = await makeDatabase()
  const roles = { services: `services-${randomUUID()}`, migrates: `migrates-${randomUUID()}` }
  const names = Object.values(roles).map((role) => `"${role}"`)
  for (const name of names) await run(database.url, `create role ${name} login password 'secret'`)
  onTestFinished(async () => {
    await database[Symbol.asyncDispose]()
    await run(process.env.GATEHOUSE_TEST_DATABASE_URL as string, `drop role ${names.join(', ')}`)
  })
  await run(
    database.url,
    'create extension pg_trgm',
    `grant create on database "${new URL(database.url).pathname.slice(1)}" to "${roles.migrates}"`,
    `grant create on schema public to "${roles.migrates}"`,
  )
  const as = (role: string) => {
    const url = new URL(database.url)
    url.username = role
    url.password = 'secret'
    return url.href
  }
  const variables = {
    OAUTH2_DATABASE_URL: as(roles.services),
    OAUTH2_MIGRATION_DATABASE_URL: as(roles.migrates),
  }
  return { owner: database.url, ...roles, ...variables, target: migrationTarget(variables) }
}

const errorOf = (statement: Promise<unknown>) => statement.then(() => undefined, String)

test('the services’ role writes rows and keeps partitions, and cannot change other tables', async () => {
  const { owner, services, migrates, target, OAUTH2_DATABASE_URL: url } = await databaseWithRoles()
  expect(await errorOf(migrate({ ...target, log: silent }))).toBe(
    `Error: the role ${migrates} may not give ${services} the tables that have partitions: ` +
      `run, as an administrator, grant "${services}" to "${migrates}";`,
  )
  await run(owner, `grant "${services}" to "${migrates}"`)
  expect(await migrate({ ...target, log: silent })).toEqual([])

  await run(
    url,
    'select from _prisma_migrations',
    `create table token.access_tokens_20200101 (like token.access_tokens including all)`,
    `alter table token.access_tokens attach partition token.access_tokens_20200101
       for values from ('2020-01-01') to ('2020-01-02')`,
    'alter table token.access_tokens detach partition token.access_tokens_20200101 concurrently',
    'drop table token.access_tokens_20200101',
    'delete from clients.clients',
    `select nextval('identity.audit_positions'), pg_sequence_last_value('identity.audit_positions')`,
  )
  for (const statement of [
    'alter table clients.clients add column x text',
    'drop table identity.users',
    'create table clients.own (x text)',
    'create schema own',
    'delete from _prisma_migrations',
  ])
    expect(await errorOf(run(url, statement)), statement).toMatch(/permission denied|must be owner/)
})

test('tables of the services’ role pass to the one that migrates, by reassign owned', async () => {
  const { owner, services, migrates, target, OAUTH2_DATABASE_URL: url } = await databaseWithRoles()
  const database = new URL(url).pathname.slice(1)
  await run(
    owner,
    `grant create on database "${database}" to "${services}"`,
    `grant create on schema public to "${services}"`,
  )
  await migrate({ databaseUrl: url, log: silent })
  await run(
    owner,
    `revoke create on database "${database}" from "${services}"`,
    `reassign owned by "${services}" to "${migrates}"`,
    `grant "${services}" to "${migrates}"`,
  )
  expect(await errorOf(run(url, 'delete from clients.clients'))).toContain('permission denied')
  await migrate({ ...target, log: silent })
  await run(url, 'delete from clients.clients')
  const owners = await run(
    owner,
    `select distinct pg_get_userbyid(relowner) as owner, relkind as kind from pg_class
     where relnamespace = 'token'::regnamespace and relkind in ('r', 'p') and not relispartition order by kind`,
  )
  expect(owners).toEqual([
    { kind: 'p', owner: services },
    { kind: 'r', owner: migrates },
  ])
})

test('the role that migrates is the services’ own unless the environment says another', () => {
  const services = 'postgresql://one:secret@db/gatehouse'
  const other = 'postgresql://two:secret@db/gatehouse'
  expect(migrationTarget({ OAUTH2_DATABASE_URL: services })).toEqual({ databaseUrl: services })
  expect(migrationTarget({ OAUTH2_DATABASE_URL: services, OAUTH2_MIGRATION_DATABASE_URL: services })).toEqual(
    { databaseUrl: services },
  )
  expect(migrationTarget({ OAUTH2_DATABASE_URL: services, OAUTH2_MIGRATION_DATABASE_URL: other })).toEqual({
    databaseUrl: other,
    serviceRole: 'one',
  })
  for (const [variables, message] of [
    [{ OAUTH2_MIGRATION_DATABASE_URL: other }, 'OAUTH2_DATABASE_URL is not set'],
    [
      { OAUTH2_DATABASE_URL: services, OAUTH2_MIGRATION_DATABASE_URL: 'mysql://two' },
      'OAUTH2_MIGRATION_DATABASE_URL must begin with',
    ],
    [
      { OAUTH2_DATABASE_URL: 'postgresql:///gatehouse', OAUTH2_MIGRATION_DATABASE_URL: other },
      'OAUTH2_DATABASE_URL names no role',
    ],
  ] as const)
    expect(() => migrationTarget(variables)).toThrow(message)
})
