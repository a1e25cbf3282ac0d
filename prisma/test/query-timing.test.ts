import { expect, test } from 'vitest'
import { nameOperation } from '../src/query-timing.ts'

test.each([
  [
    { name: 'insert_access_tokens', text: 'insert into token.access_tokens select 1' },
    'insert_access_tokens',
  ],
  ['select * from clients.clients where client_id = $1', 'select clients.clients'],
  ['SELECT "identity"."users"."id" FROM "identity"."users" WHERE 1=1', 'select identity.users'],
  ['INSERT INTO "clients"."clients" ("id") VALUES ($1)', 'insert clients.clients'],
  [' update token.revocations set x = 1', 'update token.revocations'],
  ['delete from only token.access_tokens', 'delete only token.access_tokens'],
  ['COMMIT', 'commit'],
  ['select 1', 'select'],
  ['', 'other'],
  // Partitions have the day in their names.
  ['drop table token.access_tokens_20261121', 'drop'],
  ['select from token.access_tokens_20261121', 'select token.access_tokens_'],
])('names %j %s', (query, name) => {
  expect(nameOperation(query)).toBe(name)
})

test.each([
  [
    'with a as (select 1 from t for update of f) update identity.login_failures f set x = 1',
    'update identity.login_failures',
  ],
  [
    'with a as (delete from identity.sessions returning id) insert into identity.sessions select 1',
    'insert identity.sessions',
  ],
  [
    'with a as (insert  into token.grants as g values (1) on conflict do update set x = 1) select 1 from a',
    'insert token.grants',
  ],
  ['with a as (select 1 from token.grants) select * from a', 'select token.grants'],
])('names %j by its last write, or else its select', (query, name) => {
  expect(nameOperation(query)).toBe(name)
})
