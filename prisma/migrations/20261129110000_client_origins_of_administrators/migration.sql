-- The list of origins has only what administrators decide: strangers could fill it. Theirs are looked up by their client.
create index clients_listed_origins_idx on clients.clients (revision)
  where disabled_at is null and (redirect_uris <> '{}' or metadata ? 'allowed_origins')
    and not (created_by = 'registration' and not metadata ? 'allowed_origins');
drop index clients.clients_origins_idx;
