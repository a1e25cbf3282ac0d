-- As for authorization_flows.
set local lock_timeout = '2s';
alter table token.access_tokens add column roles_revision bigint;
