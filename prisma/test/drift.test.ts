import { expect, test } from 'vitest'
import { findDrift } from '../src/drift.ts'
import { makeMigratedDatabase, run } from './test-database.ts'

test('finds no drift in a migrated database, ignoring partitions and partial indexes', async () => {
  await using database = await makeMigratedDatabase()
  await run(
    database.url,
    `create table token.access_tokens_1 partition of token.access_tokens default`,
    `create unique index on identity.users (username) where is_admin`,
  )
  expect(await findDrift(database.url)).toEqual([])
})

test.each([
  [
    'alter table clients.clients alter scope type varchar(9)',
    'column clients.clients.scope is character varying(9) not null in the database but text not null in schema/clients.prisma',
  ],
  [
    'alter table token.access_tokens alter scope drop not null',
    'column token.access_tokens.scope is text in the database but text not null in schema/token.prisma',
  ],
  [
    'alter table clients.clients alter revision drop default',
    'column clients.clients.revision is bigint not null in the database but bigint not null with a default in schema/clients.prisma',
  ],
  [
    'alter table token.access_tokens drop username',
    'column token.access_tokens.username is in schema/token.prisma but not in the database',
  ],
  [
    'alter table identity.users add age int',
    'column identity.users.age is in the database but not in schema/identity.prisma',
  ],
  [
    'alter table identity.consents drop constraint consents_pkey, add primary key (user_id, client_id, scope)',
    'primary key of identity.consents is (user_id, client_id, scope) in the database but (user_id, client_id) in schema/identity.prisma',
  ],
  [
    'create unique index on identity.users (username)',
    'unique index identity.users (username) is in the database but not in schema/identity.prisma',
  ],
  [
    'drop index token.revocations_expires_at_idx',
    'index token.revocations (expires_at) is in schema/token.prisma but not in the database',
  ],
  [
    `alter table clients.client_secrets drop constraint client_secrets_client_id_fkey,
     add foreign key (client_id) references clients.clients`,
    'foreign key clients.client_secrets (client_id) is to clients.clients (client_id), on delete refuse in the database but to clients.clients (client_id), on delete cascade in schema/clients.prisma',
  ],
])('finds the drift of `%s`', async (change, line) => {
  await using database = await makeMigratedDatabase()
  await run(database.url, change)
  expect(await findDrift(database.url)).toEqual([line])
})

test('finds a missing table and an unknown one', async () => {
  await using database = await makeMigratedDatabase()
  await run(database.url, 'alter table identity.users rename to people')
  const lines = await findDrift(database.url)
  expect(lines).toContain('table identity.users is in schema/identity.prisma but not in the database')
  expect(lines).toContain('table identity.people is in the database but not in schema/identity.prisma')
})
