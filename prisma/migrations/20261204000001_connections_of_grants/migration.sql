-- The connection by which the user of a grant had logged in, and revocations of what was granted so. Why, is said in schema/token.prisma.
-- No table is rewritten: a null, and a default that does not change.
alter table token.session_grants
  add column connection_id text,
  add column by_organization boolean not null default false;
alter table token.revocations
  drop constraint revocations_kind_check,
  add constraint revocations_kind_check check (kind in ('grant', 'client', 'own', 'user', 'consent', 'session', 'resource', 'organization', 'membership', 'connection'));
