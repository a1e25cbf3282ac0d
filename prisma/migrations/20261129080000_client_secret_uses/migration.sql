-- By which administrators name one of a client's secrets. Nothing of the secret is in it.
alter table clients.client_secrets add column secret_id uuid not null default gen_random_uuid();

-- When a secret last authenticated its client, to within some minutes. It is a table of its own: a change of a secret is a change of its
-- client for everybody who caches it.
create table clients.client_secret_uses (
  client_id     text           not null,
  secret_digest bytea          not null,
  last_used_at  timestamptz(6) not null,
  constraint client_secret_uses_pkey primary key (client_id, secret_digest),
  constraint client_secret_uses_secret_fkey foreign key (client_id, secret_digest)
    references clients.client_secrets (client_id, secret_digest) on delete cascade
);
