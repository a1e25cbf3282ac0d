-- Key pairs that sign tokens. They have a table of their own, because the release before this one would sign with any key of
-- token.signing_keys.
create table token.signing_key_pairs (
  kid            text           not null,
  algorithm      text           not null,
  encrypted_key  bytea          not null,
  created_at     timestamptz(6) not null default now(),
  activates_at   timestamptz(6) not null,
  activated_at   timestamptz(6),
  verifies_until timestamptz(6),
  constraint signing_key_pairs_pkey primary key (kid)
);
create unique index signing_key_pairs_active_key on token.signing_key_pairs (algorithm)
  where activated_at is not null and verifies_until is null;
create unique index signing_key_pairs_staged_key on token.signing_key_pairs (algorithm)
  where activated_at is null;
