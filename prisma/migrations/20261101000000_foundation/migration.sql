-- One PostgreSQL schema per service, which only that service writes. Why each table is as it is, is said beside its
-- model in schema/*.prisma; names of keys and indexes are those that Prisma gives.

create schema token;
create schema clients;
create schema identity;
create schema events;

-- token ---------------------------------------------------------------------------------------------------------

-- Partitions are made by the token service, a day each and ahead of need: a table without any takes no row.
-- No foreign key and no second index: every row is written on the hot path, and each would cost there.
create table token.access_tokens (
  expires_at timestamptz(6) not null,
  jti        uuid           not null,
  issued_at  timestamptz(6) not null default now(),
  grant_id   uuid           not null,
  client_id  text           not null,
  user_id    text,
  username   text,
  scope      text           not null,
  revoked_at timestamptz(6),
  constraint access_tokens_pkey primary key (expires_at, jti)
) partition by range (expires_at);

create table token.revocations (
  kind          text           not null,
  id            text           not null,
  issued_before timestamptz(6) not null,
  created_at    timestamptz(6) not null default now(),
  expires_at    timestamptz(6) not null,
  constraint revocations_pkey primary key (kind, id),
  constraint revocations_kind_check check (kind in ('grant', 'client', 'user', 'consent'))
);
create index revocations_expires_at_idx on token.revocations (expires_at);

-- clients -------------------------------------------------------------------------------------------------------

create sequence clients.client_revision;

create table clients.clients (
  client_id                  text           not null,
  client_name                text           not null,
  redirect_uris              text[]         not null default '{}',
  grant_types                text[]         not null default '{}',
  scope                      text           not null,
  token_endpoint_auth_method text           not null,
  first_party                boolean        not null default false,
  disabled_at                timestamptz(6),
  created_at                 timestamptz(6) not null default now(),
  revision                   bigint         not null default nextval('clients.client_revision'::regclass),
  constraint clients_pkey primary key (client_id)
);

create table clients.client_secrets (
  client_id     text           not null,
  secret_digest bytea          not null,
  created_at    timestamptz(6) not null default now(),
  expires_at    timestamptz(6),
  constraint client_secrets_pkey primary key (client_id, secret_digest),
  constraint client_secrets_client_id_fkey foreign key (client_id)
    references clients.clients (client_id) on delete cascade
);

create function clients.renew_revision() returns trigger language plpgsql as $$
begin
  new.revision := nextval('clients.client_revision');
  return new;
end $$;

create trigger renew_revision before update on clients.clients
  for each row execute function clients.renew_revision();

-- A change of a secret is a change of its client, for whoever caches both. The update is an empty one: the trigger
-- above gives the number. When the secret goes because its client does, there is no row left to update.
create function clients.touch_client() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    update clients.clients set revision = default where client_id = old.client_id;
  end if;
  if tg_op = 'INSERT' or (tg_op = 'UPDATE' and new.client_id <> old.client_id) then
    update clients.clients set revision = default where client_id = new.client_id;
  end if;
  return null;
end $$;

create trigger touch_client after insert or update or delete on clients.client_secrets
  for each row execute function clients.touch_client();

-- identity ------------------------------------------------------------------------------------------------------

create table identity.users (
  id            uuid           not null,
  username      text           not null,
  password_hash text,
  is_admin      boolean        not null default false,
  disabled_at   timestamptz(6),
  created_at    timestamptz(6) not null default now(),
  updated_at    timestamptz(6) not null default now(),
  constraint users_pkey primary key (id)
);
create unique index users_lower_username_key on identity.users (lower(username));
