-- The use of clients that registered themselves, as far as it is known, so that those that nobody uses can be deleted. It is a table of its
-- own: a change of a client is a new revision for everybody who caches it.
create table clients.registration_uses (
  client_id  text           not null,
  kept_since timestamptz(6),
  managed_at timestamptz(6),
  constraint registration_uses_pkey primary key (client_id),
  constraint registration_uses_client_id_fkey foreign key (client_id)
    references clients.clients (client_id) on delete cascade
);
