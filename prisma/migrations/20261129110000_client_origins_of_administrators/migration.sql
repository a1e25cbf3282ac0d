-- The list of origins has only what administrators decide: strangers could fill it. Theirs are looked up by their client. The index
-- before it is dropped in a migration of its own: with both locks in one, a client that changes itself meanwhile would be a deadlock.
create index clients_listed_origins_idx on clients.clients (revision)
  where disabled_at is null and (redirect_uris <> '{}' or metadata ? 'allowed_origins')
    and not (created_by = 'registration' and not metadata ? 'allowed_origins');
