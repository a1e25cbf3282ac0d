-- Who tried to log in. Why the table is as it is, is said beside its model in schema/identity.prisma.
-- Partitions are made by the identity service, a day each and ahead of need: a table without any takes no row.
create table identity.login_attempts (
  at         timestamptz(6) not null default now(),
  login_id   uuid           not null,
  user_id    uuid,
  username   text,
  client_id  text           not null,
  ip_address text           not null,
  user_agent text           not null,
  method     text           not null,
  failure    text           not null,
  constraint login_attempts_pkey primary key (at, login_id)
) partition by range (at);
create index login_attempts_user_id_at_login_id_idx on identity.login_attempts (user_id, at, login_id)
  where user_id is not null;
create index login_attempts_client_id_at_login_id_idx on identity.login_attempts (client_id, at, login_id)
  where client_id <> '';
create index login_attempts_ip_address_at_login_id_idx on identity.login_attempts (ip_address, at, login_id);
