-- The order in which entries became visible to others, for those who follow the log: see services/data/src/audit-log/feed.ts.
alter table token.audit_log add column position bigint;
create sequence token.audit_positions;
alter table clients.audit_log add column position bigint;
create sequence clients.audit_positions;
alter table identity.audit_log add column position bigint;
create sequence identity.audit_positions;
alter table events.audit_log add column position bigint;
create sequence events.audit_positions;
