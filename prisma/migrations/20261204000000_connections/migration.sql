-- Connections to other identity providers, and the logins that came by them. Why, is said beside the models in schema/identity.prisma.
create table identity.connections (
  connection_id         text           not null,
  organization_id       text,
  kind                  text           not null,
  name                  text           not null,
  issuer                text,
  client_id             text           not null,
  client_authentication text           not null,
  client_secret         bytea,
  client_key            bytea,
  client_public_key     jsonb,
  scope                 text           not null,
  acr_values            text,
  tenants               text[]         not null default '{}',
  trusts_second_factor  boolean        not null default false,
  new_users             text           not null,
  mapping               jsonb          not null default '[]',
  domains               text[]         not null default '{}',
  on_login_page         boolean        not null default true,
  created_at            timestamptz(6) not null default now(),
  disabled_at           timestamptz(6),
  revision              bigint         not null default 1,
  ended_revision        bigint         not null default 0,
  constraint connections_pkey primary key (connection_id),
  constraint connections_kind_check check (kind in ('oidc', 'google', 'microsoft', 'github')),
  constraint connections_client_authentication_check check (client_authentication in ('client_secret', 'private_key_jwt')),
  constraint connections_new_users_check check (new_users in ('never', 'verified_domain', 'always')),
  constraint connections_organization_id_fkey foreign key (organization_id) references identity.organizations (organization_id) on delete cascade on update no action
);
create index connections_organization_id_idx on identity.connections (organization_id);
create index connections_created_at_connection_id_idx on identity.connections (created_at, connection_id);
create index connections_lower_name_idx on identity.connections (lower(name) text_pattern_ops, connection_id);
create index connections_domains_idx on identity.connections using gin (domains);

create table identity.connection_links (
  connection_id text           not null,
  issuer        text           not null,
  subject       text           not null,
  user_id       uuid           not null,
  display_name  text           not null,
  linked_at     timestamptz(6) not null default now(),
  last_login_at timestamptz(6),
  constraint connection_links_pkey primary key (connection_id, issuer, subject),
  constraint connection_links_connection_id_fkey foreign key (connection_id) references identity.connections (connection_id) on delete cascade on update no action,
  constraint connection_links_user_id_fkey foreign key (user_id) references identity.users (id) on delete cascade on update no action
);
create index connection_links_user_id_idx on identity.connection_links (user_id);

create table identity.connection_grants (
  grant_id      uuid not null default gen_random_uuid(),
  connection_id text not null,
  user_id       uuid not null,
  group_id      uuid,
  assignment_id uuid,
  constraint connection_grants_pkey primary key (grant_id),
  constraint connection_grants_check check ((group_id is null) <> (assignment_id is null)),
  constraint connection_grants_connection_id_fkey foreign key (connection_id) references identity.connections (connection_id) on delete cascade on update no action,
  constraint connection_grants_group_id_user_id_fkey foreign key (group_id, user_id) references identity.group_members (group_id, user_id) on delete cascade on update no action,
  constraint connection_grants_user_id_fkey foreign key (user_id) references identity.users (id) on delete cascade on update no action,
  constraint connection_grants_assignment_id_fkey foreign key (assignment_id) references identity.role_assignments (assignment_id) on delete cascade on update no action
);
create unique index connection_grants_group_id_user_id_key on identity.connection_grants (group_id, user_id);
create unique index connection_grants_assignment_id_key on identity.connection_grants (assignment_id);
create index connection_grants_connection_id_user_id_idx on identity.connection_grants (connection_id, user_id);
create index connection_grants_user_id_idx on identity.connection_grants (user_id);

create table identity.connection_logins (
  state_digest   bytea          not null,
  browser_digest bytea          not null,
  connection_id  text           not null,
  purpose        text           not null,
  user_id        uuid,
  nonce          text           not null,
  code_verifier  text           not null,
  dpop_key       bytea,
  max_age        integer,
  return_to      text           not null,
  network        text           not null,
  begun_at       timestamptz(6) not null default now(),
  expires_at     timestamptz(6) not null,
  constraint connection_logins_pkey primary key (state_digest),
  constraint connection_logins_purpose_check check (purpose in ('login', 'link', 'test')),
  constraint connection_logins_connection_id_fkey foreign key (connection_id) references identity.connections (connection_id) on delete cascade on update no action,
  constraint connection_logins_user_id_fkey foreign key (user_id) references identity.users (id) on delete cascade on update no action
);
create index connection_logins_expires_at_idx on identity.connection_logins (expires_at);
create index connection_logins_connection_id_network_begun_at_idx on identity.connection_logins (connection_id, network, begun_at);
create index connection_logins_user_id_idx on identity.connection_logins (user_id);

create table identity.session_logins (
  session_id       uuid           not null,
  connection_id    text           not null,
  organization_id  text,
  issuer           text           not null,
  subject          text           not null,
  upstream_session text,
  methods          text[]         not null,
  authenticated_at timestamptz(6) not null,
  expires_at       timestamptz(6) not null,
  constraint session_logins_pkey primary key (session_id, connection_id),
  constraint session_logins_session_id_fkey foreign key (session_id) references identity.sessions (id) on delete cascade on update no action,
  constraint session_logins_connection_id_fkey foreign key (connection_id) references identity.connections (connection_id) on delete cascade on update no action
);
create index session_logins_connection_id_subject_idx on identity.session_logins (connection_id, subject);

-- No table is rewritten: a null, and a default that does not change.
alter table identity.sessions
  add column connection_id text,
  add column organizations_only boolean not null default false;
alter table identity.pending_logins add column connection_login jsonb;
alter table identity.users add column address_vouched_by text;
alter table identity.organizations add column sso_required boolean not null default false;

alter table identity.pending_revocations
  drop constraint pending_revocations_kind_check,
  add constraint pending_revocations_kind_check check (kind in ('user', 'consent', 'session', 'authority', 'organization', 'membership', 'connection'));
