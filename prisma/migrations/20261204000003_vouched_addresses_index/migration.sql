-- In a migration of its own, because it holds up who writes a user while it reads the table once. No row is in the index yet.
create index users_address_vouched_by_idx on identity.users (address_vouched_by) where address_vouched_by is not null;
