-- The clients that must be told that a session ended (OpenID Connect Back-Channel Logout).
create table token.backchannel_logouts (
  session_id uuid not null,
  client_id text not null,
  user_id text not null,
  attempts integer not null default 0,
  next_attempt_at timestamptz(6) not null default now(),
  created_at timestamptz(6) not null default now(),
  constraint backchannel_logouts_pkey primary key (session_id, client_id)
);
create index backchannel_logouts_next_attempt_at_idx on token.backchannel_logouts (next_attempt_at);
