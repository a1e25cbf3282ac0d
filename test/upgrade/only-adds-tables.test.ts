import { expect, test } from 'vitest'
import { onlyAddsTables } from './only-adds-tables.ts'

const added = `-- What was posted.
create table events.posts (id uuid primary key, at timestamptz not null);
create index posts_at_idx
  on events.posts (at);
create table events.log (like token.log including all);`

test('migrations that create tables with their indexes add tables only', () => {
  expect(onlyAddsTables([added])).toBe(true)
  expect(onlyAddsTables([added, 'create unique index posts_id_idx on events.posts (id, at);'])).toBe(true)
})

test.each([
  'alter table token.log add column reason text;',
  'create index log_at_idx on token.log (at);',
  'create unique index log_id_idx on token.log (id);',
  'update token.log set reason = 0;',
  'drop table token.log;',
  'create table events.parts (id uuid references token.log (id));',
  "create table token.log_2026 partition of token.log for values in ('2026');",
  'create table token.more () inherits (token.log);',
  'create trigger touched after update on token.log execute function touch();',
  'do $$ begin execute 1; end $$;',
])('“%s” is more than that', (statement) => {
  expect(onlyAddsTables([added, statement])).toBe(false)
})
