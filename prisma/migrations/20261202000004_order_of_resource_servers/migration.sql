-- The revisions of resource servers commit in their order: the token service compares the newest of several resource servers with the
-- revision of a change of one, so a change must not commit after one with a later revision. A change of a row waits here, before it draws
-- its revision, until every earlier one has committed. As it is a trigger, it also holds for a change by the last release, and for a
-- client that is deleted.
create function clients.renew_resource_server_revision() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('gatehouse resource servers', 0));
  new.revision := nextval('clients.client_revision');
  return new;
end $$;

create or replace trigger renew_revision before update on clients.resource_servers
  for each row execute function clients.renew_resource_server_revision();
