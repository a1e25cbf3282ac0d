-- People log in: authorization codes, refresh tokens, sessions, consents. Why each table is as it is, is said beside its
-- model in schema/*.prisma.

-- token ---------------------------------------------------------------------------------------------------------

-- Not the expand-and-contract of a released schema: nothing was released yet.
alter table token.access_tokens rename column issued_at to granted_at;

create table token.authorization_codes (
  code_digest    bytea          not null,
  grant_id       uuid           not null,
  client_id      text           not null,
  user_id        text           not null,
  username       text           not null,
  redirect_uri   text           not null,
  scope          text           not null,
  code_challenge text           not null,
  granted_at     timestamptz(6) not null,
  expires_at     timestamptz(6) not null,
  redeemed_at    timestamptz(6),
  constraint authorization_codes_pkey primary key (code_digest)
);
create index authorization_codes_expires_at_idx on token.authorization_codes (expires_at);

create table token.refresh_tokens (
  token_digest      bytea          not null,
  parent_digest     bytea,
  grant_id          uuid           not null,
  granted_at        timestamptz(6) not null,
  client_id         text           not null,
  user_id           text           not null,
  username          text           not null,
  scope             text           not null,
  created_at        timestamptz(6) not null default now(),
  expires_at        timestamptz(6) not null,
  used_at           timestamptz(6),
  successor_used_at timestamptz(6),
  constraint refresh_tokens_pkey primary key (token_digest)
);
create index refresh_tokens_expires_at_idx on token.refresh_tokens (expires_at);

-- identity ------------------------------------------------------------------------------------------------------

create table identity.sessions (
  id            uuid           not null,
  secret_digest bytea          not null,
  user_id       uuid           not null,
  user_agent    text           not null,
  ip_address    text           not null,
  created_at    timestamptz(6) not null default now(),
  expires_at    timestamptz(6) not null,
  constraint sessions_pkey primary key (id),
  constraint sessions_user_id_fkey foreign key (user_id) references identity.users (id) on delete cascade
);
create unique index sessions_secret_digest_key on identity.sessions (secret_digest);
create index sessions_user_id_idx on identity.sessions (user_id);
create index sessions_expires_at_idx on identity.sessions (expires_at);

create table identity.consents (
  user_id    uuid           not null,
  client_id  text           not null,
  scope      text           not null,
  granted_at timestamptz(6) not null default now(),
  constraint consents_pkey primary key (user_id, client_id),
  constraint consents_user_id_fkey foreign key (user_id) references identity.users (id) on delete cascade
);

create table identity.consent_questions (
  question_digest     bytea          not null,
  session_id          uuid           not null,
  client_id           text           not null,
  scope               text           not null,
  authorization_query text           not null,
  expires_at          timestamptz(6) not null,
  constraint consent_questions_pkey primary key (question_digest),
  constraint consent_questions_session_id_fkey foreign key (session_id)
    references identity.sessions (id) on delete cascade
);
create index consent_questions_session_id_idx on identity.consent_questions (session_id);
create index consent_questions_expires_at_idx on identity.consent_questions (expires_at);

create table identity.login_failures (
  kind            text           not null,
  key_digest      bytea          not null,
  failures        integer        not null,
  window_ends     timestamptz(6) not null,
  under_way       integer        not null default 0,
  under_way_until timestamptz(6) not null default now(),
  constraint login_failures_pkey primary key (kind, key_digest),
  constraint login_failures_kind_check check (kind in ('user_ip', 'ip', 'user'))
);
create index login_failures_window_ends_idx on identity.login_failures (window_ends);

create table identity.pending_revocations (
  id            bigserial      not null,
  kind          text           not null,
  target        text           not null,
  issued_before timestamptz(6) not null default now(),
  constraint pending_revocations_pkey primary key (id),
  constraint pending_revocations_kind_check check (kind in ('user', 'consent'))
);
