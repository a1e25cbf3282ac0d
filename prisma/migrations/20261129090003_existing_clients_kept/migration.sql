-- Clients from before are kept: the last release noted no use of a client that only introspects or revokes. It is a migration of its own,
-- so that nobody who changes a client waits for it.
insert into clients.registration_uses (client_id, kept_since)
select client_id, now() from clients.clients order by client_id for key share
on conflict (client_id) do nothing;
