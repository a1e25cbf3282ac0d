-- Ends access tokens by older roles. Why, is said beside the models in schema/token.prisma.
create table token.authority_changes (
  key        text           not null,
  revision   bigint         not null,
  expires_at timestamptz(6) not null,
  constraint authority_changes_pkey primary key (key)
);
create index authority_changes_expires_at_idx on token.authority_changes (expires_at);
alter table token.revocations
  drop constraint revocations_kind_check,
  add constraint revocations_kind_check check (kind in ('grant', 'client', 'own', 'user', 'consent', 'session', 'resource'));
