-- What was taken from a client counts at once. Why each table is as it is, is said beside its model in schema/*.prisma.

create table token.client_changes (
  client_id   text           not null,
  revision    bigint         not null,
  scope       text[]         not null,
  grant_types text[]         not null,
  disabled    boolean        not null,
  expires_at  timestamptz(6) not null,
  constraint client_changes_pkey primary key (client_id)
);
create index client_changes_expires_at_idx on token.client_changes (expires_at);

-- The release before this one does not know the new kind, and leaves such a row to a replica that does.
alter table clients.pending_revocations
  drop constraint pending_revocations_kind_check,
  add constraint pending_revocations_kind_check check (kind in ('client', 'client_change'));
