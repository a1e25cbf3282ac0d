-- As for authorization_flows.
set local lock_timeout = '2s';
alter table token.access_tokens
  add column organization_id text,
  add column binding text,
  add column carried jsonb,
  add column authority_revision bigint,
  add column ancestors uuid[];
