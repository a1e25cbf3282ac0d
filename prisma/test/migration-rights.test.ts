import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { migrate } from '../src/migrate.ts'
import { makeDatabase, run, silent } from './test-database.ts'

/** A database, and an ordinary role in it, whose name needs quotes. */
async function databaseWithRole() {
  const made = await makeDatabase()
  const role = `role-${randomUUID()}`
  await run(made.url, `create role "${role}" login password 'secret'`)
  onTestFinished(async () => {
    await made[Symbol.asyncDispose]()
    await run(process.env.GATEHOUSE_TEST_DATABASE_URL as string, `drop role "${role}"`)
  })
  const url = new URL(made.url)
  url.username = role
  url.password = 'secret'
  return { owner: made.url, url: url.href, role, database: url.pathname.slice(1) }
}

const errorOf = (url: string) =>
  migrate({ databaseUrl: url, log: silent }).then(
    () => undefined,
    (error: Error) => error.message,
  )

test('names every missing right with the statement that grants it, until none is missing', async () => {
  const { owner, url, role, database } = await databaseWithRole()
  const onDatabase = `grant create on database "${database}" to "${role}";`
  const onPublic = `grant create on schema public to "${role}";`
  expect(await errorOf(url)).toBe(
    `the role ${role} may not create schemas nor create a table in the schema public, which lists the migrations in the database ${database}: run there, as its owner, ${onDatabase} ${onPublic}`,
  )
  await run(owner, onDatabase)
  expect(await errorOf(url)).toBe(
    `the role ${role} may not create a table in the schema public, which lists the migrations in the database ${database}: run there, as its owner, ${onPublic}`,
  )
  await run(owner, onPublic)
  expect(await errorOf(url)).toBeUndefined()
  // Now the table is there, so the right is no longer needed.
  await run(owner, `revoke create on schema public from "${role}"`)
  expect(await errorOf(url)).toBeUndefined()
})

test('says how to make the schema public where it was dropped', async () => {
  const { owner, url, role } = await databaseWithRole()
  await run(owner, 'drop schema public')
  const said = (await errorOf(url)) ?? ''
  expect(said).toContain(`create schema public; grant usage, create on schema public to "${role}";`)
  await run(owner, said.slice(said.indexOf('owner, ') + 'owner, '.length))
  expect(await errorOf(url)).toBeUndefined()
})

test('a later migration by a role that does not own the tables says who must migrate', async () => {
  const { owner, url, role } = await databaseWithRole()
  await migrate({ databaseUrl: owner, log: silent })
  const [last] = await run(
    owner,
    'select migration_name as name from _prisma_migrations order by migration_name desc limit 1',
    `grant select, insert, update on _prisma_migrations to "${role}"`,
    'delete from _prisma_migrations where migration_name = (select max(migration_name) from _prisma_migrations) returning migration_name as name',
  )
  expect(await errorOf(url)).toMatch(
    new RegExp(
      `^migration ${last?.name} failed and was rolled back: permission denied .*; migrate as the role that owns the tables$`,
    ),
  )
})
