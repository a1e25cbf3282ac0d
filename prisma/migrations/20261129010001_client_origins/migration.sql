-- For the clients whose pages may call the server: gateways ask every second whether they have changed. First those that an
-- administrator made, or whose origins one named; then those that registered themselves. The oldest revision is first.
create index clients_origins_idx on clients.clients
  ((created_by = 'registration' and not metadata ? 'allowed_origins'), revision)
  where disabled_at is null and (redirect_uris <> '{}' or metadata ? 'allowed_origins');
