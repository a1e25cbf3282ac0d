-- Clients that describe themselves with a document at their client_id, and names as users saw them when they agreed. Why each
-- is as it is, is said beside its model in schema/*.prisma.

create table clients.client_id_documents (
  client_id   text           not null,
  read_at     timestamptz(6) not null default now(),
  fresh_until timestamptz(6) not null,
  used_at     timestamptz(6) not null default now(),
  constraint client_id_documents_pkey primary key (client_id),
  constraint client_id_documents_client_id_fkey foreign key (client_id)
    references clients.clients (client_id) on delete cascade
);
create index client_id_documents_used_at_idx on clients.client_id_documents (used_at);

alter table identity.consents add column client_name text;
