-- Administrators find users by the beginning or any other part of the e-mail address. It is not unique: see
-- prisma/schema/identity.prisma.
do $$
declare
  home regnamespace := (select extnamespace from pg_extension where extname = 'pg_trgm');
begin
  execute format(
    $index$create index users_lower_email_trigram_idx on identity.users
      using gin (lower(attributes ->> 'email') %s.gin_trgm_ops) where attributes ->> 'email' is not null$index$,
    home);
end $$;
