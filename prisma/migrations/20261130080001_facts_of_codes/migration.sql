-- As for authorization_flows.
set local lock_timeout = '2s';
alter table token.authorization_codes
  add column organization_id text,
  add column binding text,
  add column carried jsonb;
