-- Names that a user or a client is about to get. A token's `sub` and `username` name either a user or a client, so a client must not
-- have the id or the name of a user (RFC 9700 section 4.15). Users and clients belong to two services: each reserves a name in its own
-- table before it asks the other one, so of two that want one name at the same moment at least one sees the other.
create table clients.name_reservations (
  reservation_id uuid not null,
  name           text not null,
  expires_at     timestamptz(6) not null,
  primary key (reservation_id, name)
);
create index name_reservations_name_idx on clients.name_reservations (name);
create index name_reservations_expires_at_idx on clients.name_reservations (expires_at);

create table identity.name_reservations (
  reservation_id uuid not null,
  name           text not null,
  expires_at     timestamptz(6) not null,
  primary key (reservation_id, name)
);
create index name_reservations_name_idx on identity.name_reservations (name);
create index name_reservations_expires_at_idx on identity.name_reservations (expires_at);
