-- What may be presented once, until it would have expired anyway. The digest is of the kind, whose it is, and its jti.
create table token.spent_proofs (
  digest bytea not null,
  expires_at timestamptz(6) not null,
  -- Tells the request that spent it, which may ask again, from others.
  attempt uuid not null,
  constraint spent_proofs_pkey primary key (digest)
);
create index spent_proofs_expires_at_idx on token.spent_proofs (expires_at);

-- When a client last authenticated with a key. No foreign key to keys: those at a jwks_uri are not stored.
create table clients.client_key_uses (
  client_id text not null,
  thumbprint bytea not null,
  last_used_at timestamptz(6) not null default now(),
  constraint client_key_uses_pkey primary key (client_id, thumbprint),
  constraint client_key_uses_client_id_fkey foreign key (client_id) references clients.clients (client_id) on delete cascade on update no action
);
create index client_key_uses_last_used_at_idx on clients.client_key_uses (last_used_at);
