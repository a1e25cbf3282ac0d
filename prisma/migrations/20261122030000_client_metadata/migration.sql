-- The fields of a client's metadata document that have no column of their own.
alter table clients.clients add column metadata jsonb not null default '{}';
