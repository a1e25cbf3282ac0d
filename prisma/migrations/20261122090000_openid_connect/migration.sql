-- Who made a client. Only the errors of clients that an administrator made are sent to their redirect URIs, so clients of
-- earlier releases count as registered by anybody.
alter table clients.clients add column created_by text not null default 'registration';

-- When and how the user of a session logged in. A session of an earlier release began with its login.
alter table identity.sessions
  add column authenticated_at timestamptz(6) not null default now(),
  add column methods text[] not null default '{}';

-- The end of a session ends what clients may do in it.
alter table identity.pending_revocations
  drop constraint pending_revocations_kind_check,
  add constraint pending_revocations_kind_check check (kind in ('user', 'consent', 'session'));
alter table token.revocations
  drop constraint revocations_kind_check,
  add constraint revocations_kind_check check (kind in ('grant', 'client', 'user', 'consent', 'session'));

-- The parameters of OpenID Connect of a request that waits for its user.
alter table token.authorization_flows
  add column openid jsonb,
  add column created_at timestamptz(6) not null default now();

-- The grants that users gave in a session, with what ID tokens say about them.
create table token.session_grants (
  grant_id uuid not null,
  session_id uuid not null,
  client_id text not null,
  user_id text not null,
  nonce text,
  authenticated_at timestamptz(6) not null,
  methods text[] not null,
  claims jsonb,
  offline boolean not null,
  session_ends_at timestamptz(6) not null,
  expires_at timestamptz(6) not null,
  constraint session_grants_pkey primary key (grant_id)
);
create index session_grants_session_id_idx on token.session_grants (session_id);
create index session_grants_expires_at_idx on token.session_grants (expires_at);
