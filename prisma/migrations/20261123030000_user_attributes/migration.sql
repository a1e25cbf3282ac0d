-- What is known of users besides their names (OpenID Connect Core section 5.1), and when that last changed.
alter table identity.users
  add column attributes jsonb not null default '{}',
  add column attributes_updated_at timestamptz(6) not null default now();
