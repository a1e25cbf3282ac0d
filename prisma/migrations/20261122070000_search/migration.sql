-- Administrators find clients and users by any part of a name. pg_trgm is one of PostgreSQL's own extensions; the owner of a
-- database may create it. It is used where it is, if somebody has created it before.
create extension if not exists pg_trgm with schema clients;

do $$
declare
  home regnamespace := (select extnamespace from pg_extension where extname = 'pg_trgm');
begin
  execute format(
    'create index clients_lower_client_name_trigram_idx on clients.clients using gin (lower(client_name) %s.gin_trgm_ops)',
    home);
  execute format(
    'create index clients_lower_client_id_trigram_idx on clients.clients using gin (lower(client_id) %s.gin_trgm_ops)',
    home);
  execute format(
    'create index users_lower_username_trigram_idx on identity.users using gin (lower(username) %s.gin_trgm_ops)',
    home);
end $$;
