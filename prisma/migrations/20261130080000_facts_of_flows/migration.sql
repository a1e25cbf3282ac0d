-- Columns for what grants and tokens will say of themselves, all at once: these tables are written at the rate of requests. Nothing writes
-- them yet. A column without a default changes no row and takes no time, also of partitions. Each table has a migration of its own, so
-- that none waits for a table while requests wait for another one that it has.
-- A dump that reads the table would hold this up, and this everything else, so it soon gives up and is tried again.
set local lock_timeout = '2s';
alter table token.authorization_flows
  add column organization_id text,
  add column binding text,
  add column carried jsonb;
