-- Resource servers. Why the table is as it is, is said beside its model in schema/clients.prisma.

create table clients.resource_servers (
  resource_id       uuid           not null,
  identifier        text           not null,
  name              text           not null,
  scopes            jsonb          not null,
  token_lifetime    integer,
  open_registration boolean        not null default false,
  client_id         text,
  disabled_at       timestamptz(6),
  created_at        timestamptz(6) not null default now(),
  revision          bigint         not null default nextval('clients.client_revision'::regclass),
  constraint resource_servers_pkey primary key (resource_id),
  constraint resource_servers_client_id_fkey foreign key (client_id)
    references clients.clients (client_id) on delete set null
);
create unique index resource_servers_identifier_key on clients.resource_servers (identifier);

create trigger renew_revision before update on clients.resource_servers
  for each row execute function clients.renew_revision();

-- The release before this one does not know the new kind, and leaves such a row to a replica that does.
alter table clients.pending_revocations
  drop constraint pending_revocations_kind_check,
  add constraint pending_revocations_kind_check check (kind in ('client', 'client_change', 'resource'));
alter table token.revocations
  drop constraint revocations_kind_check,
  add constraint revocations_kind_check check (kind in ('grant', 'client', 'user', 'consent', 'session', 'resource'));
