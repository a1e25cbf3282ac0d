-- The tokens with which clients manage their own registrations. Why the table is as it is, is said beside its model in
-- schema/clients.prisma.

create table clients.registration_tokens (
  client_id    text           not null,
  token_digest bytea          not null,
  may_change   boolean        not null default true,
  created_at   timestamptz(6) not null default now(),
  constraint registration_tokens_pkey primary key (client_id),
  constraint registration_tokens_client_id_fkey foreign key (client_id)
    references clients.clients (client_id) on delete cascade
);
