-- Administration: the log of what administrators do, signing keys, lists of millions of tokens, logins through social
-- providers, and what the dashboard shows. Why each table is as it is, is said beside its model in schema/*.prisma.

-- token ---------------------------------------------------------------------------------------------------------

create table token.signing_keys (
  kid            text           not null,
  created_at     timestamptz(6) not null default now(),
  verifies_until timestamptz(6),
  constraint signing_keys_pkey primary key (kid)
);
create unique index signing_keys_active_key on token.signing_keys ((true)) where verifies_until is null;
insert into token.signing_keys (kid) values ('default');

-- For administrators' lists; what they cost the hot path is measured in test/bench.
create index access_tokens_client_id_expires_at_jti_idx on token.access_tokens (client_id, expires_at, jti);
create index access_tokens_user_id_expires_at_jti_idx on token.access_tokens (user_id, expires_at, jti)
  where user_id is not null;

create table token.audit_log (
  entry_id   uuid           not null,
  at         timestamptz(6) not null default now(),
  actor_kind text           not null,
  actor_id   text           not null,
  actor_name text           not null,
  ip_address text           not null,
  action     text           not null,
  target     text           not null,
  before     jsonb,
  after      jsonb,
  constraint audit_log_pkey primary key (entry_id),
  constraint audit_log_actor_kind_check check (actor_kind in ('user', 'client'))
);
create index audit_log_actor_id_entry_id_idx on token.audit_log (actor_id, entry_id);
create index audit_log_target_entry_id_idx on token.audit_log (target, entry_id);

-- clients -------------------------------------------------------------------------------------------------------

create table clients.audit_log (like token.audit_log including all);
create table clients.pending_revocations (
  id            bigserial      not null,
  kind          text           not null,
  target        text           not null,
  issued_before timestamptz(6) not null default now(),
  constraint pending_revocations_pkey primary key (id),
  constraint pending_revocations_kind_check check (kind = 'client')
);
create index clients_created_at_client_id_idx on clients.clients (created_at, client_id);
create index clients_lower_client_name_idx on clients.clients (lower(client_name) text_pattern_ops);
create index clients_lower_client_id_idx on clients.clients (lower(client_id) text_pattern_ops);

-- identity ------------------------------------------------------------------------------------------------------

create table identity.audit_log (like token.audit_log including all);
create index users_lower_username_pattern_idx on identity.users (lower(username) text_pattern_ops);

create table identity.social_accounts (
  provider     text           not null,
  subject      text           not null,
  user_id      uuid           not null,
  display_name text           not null,
  linked_at    timestamptz(6) not null default now(),
  constraint social_accounts_pkey primary key (provider, subject),
  constraint social_accounts_user_id_fkey foreign key (user_id) references identity.users (id) on delete cascade
);
create index social_accounts_user_id_idx on identity.social_accounts (user_id);

create table identity.social_logins (
  state_digest   bytea          not null,
  browser_digest bytea          not null,
  provider       text           not null,
  nonce          text           not null,
  code_verifier  text           not null,
  return_to      text           not null,
  expires_at     timestamptz(6) not null,
  constraint social_logins_pkey primary key (state_digest)
);
create index social_logins_expires_at_idx on identity.social_logins (expires_at);

create table identity.traffic_samples (
  at            timestamptz(6)   not null,
  instance      text             not null,
  seconds       double precision not null,
  requests      bigint           not null,
  failures      bigint           not null,
  refusals      bigint           not null,
  rate_limited  bigint           not null,
  issued        jsonb            not null,
  durations     bigint[]         not null,
  active_tokens bigint,
  constraint traffic_samples_pkey primary key (at, instance)
);
