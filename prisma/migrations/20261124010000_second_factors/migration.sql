-- Second factors and passkeys. Why each table is as it is, is said beside its model in schema/identity.prisma.

create table identity.passkeys (
  id              uuid           not null,
  user_id         uuid           not null,
  credential_id   bytea          not null,
  public_key      bytea          not null,
  counter         bigint         not null,
  transports      text[]         not null default '{}',
  backup_eligible boolean        not null,
  backed_up       boolean        not null,
  name            text           not null,
  created_at      timestamptz(6) not null default now(),
  last_used_at    timestamptz(6),
  constraint passkeys_pkey primary key (id),
  constraint passkeys_user_id_fkey foreign key (user_id) references identity.users (id) on delete cascade
);
create unique index passkeys_credential_id_key on identity.passkeys (credential_id);
create index passkeys_user_id_idx on identity.passkeys (user_id);

create table identity.totp_factors (
  user_id      uuid           not null,
  seed         bytea          not null,
  last_step    bigint         not null,
  confirmed_at timestamptz(6) not null default now(),
  last_used_at timestamptz(6),
  constraint totp_factors_pkey primary key (user_id),
  constraint totp_factors_user_id_fkey foreign key (user_id) references identity.users (id) on delete cascade
);

create table identity.totp_enrolments (
  user_id      uuid           not null,
  owner_digest bytea          not null,
  seed         bytea          not null,
  expires_at   timestamptz(6) not null,
  constraint totp_enrolments_pkey primary key (user_id),
  constraint totp_enrolments_user_id_fkey foreign key (user_id) references identity.users (id) on delete cascade
);
create index totp_enrolments_expires_at_idx on identity.totp_enrolments (expires_at);

create table identity.recovery_codes (
  user_id     uuid           not null,
  code_digest bytea          not null,
  created_at  timestamptz(6) not null default now(),
  used_at     timestamptz(6),
  constraint recovery_codes_pkey primary key (user_id, code_digest),
  constraint recovery_codes_user_id_fkey foreign key (user_id) references identity.users (id) on delete cascade
);

create table identity.webauthn_challenges (
  challenge_digest bytea          not null,
  purpose          text           not null,
  owner_digest     bytea          not null,
  expires_at       timestamptz(6) not null,
  constraint webauthn_challenges_pkey primary key (challenge_digest),
  constraint webauthn_challenges_purpose_check check (purpose in ('registration', 'second_factor', 'login'))
);
create index webauthn_challenges_expires_at_idx on identity.webauthn_challenges (expires_at);

create table identity.pending_logins (
  secret_digest   bytea          not null,
  user_id         uuid           not null,
  login_method    text           not null,
  methods         text[]         not null,
  password_digest bytea,
  ip_address      text           not null,
  user_agent      text           not null,
  client_id       text           not null,
  tries           integer        not null default 0,
  created_at      timestamptz(6) not null default now(),
  expires_at      timestamptz(6) not null,
  constraint pending_logins_pkey primary key (secret_digest),
  constraint pending_logins_user_id_fkey foreign key (user_id) references identity.users (id) on delete cascade
);
create index pending_logins_user_id_idx on identity.pending_logins (user_id);
create index pending_logins_expires_at_idx on identity.pending_logins (expires_at);

-- Wrong codes are counted beside wrong passwords. No row is checked: every row of before has one of the kinds.
alter table identity.login_failures drop constraint login_failures_kind_check;
alter table identity.login_failures add constraint login_failures_kind_check
  check (kind in ('user_ip', 'ip', 'user', 'code', 'code_day', 'recovery_code')) not valid;
