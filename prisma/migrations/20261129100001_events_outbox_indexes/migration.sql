-- Events that were set aside need not be passed over by those who look for the next ones.
create index outbox_fresh_idx on events.outbox (backend, position) where not_before is null;
create index outbox_set_aside_idx on events.outbox (backend, not_before) where not_before is not null;
create index outbox_client_idx on events.outbox (backend, client_key, position) where not_before is null;
create index outbox_user_idx on events.outbox (backend, user_key, position) where not_before is null;
