-- Administrators sort users by age, and list the administrators or the disabled users among millions.
create index users_created_at_id_idx on identity.users (created_at, id);
create index users_administrators_idx on identity.users (lower(username) text_pattern_ops) where is_admin;
create index users_disabled_idx on identity.users (lower(username) text_pattern_ops) where disabled_at is not null;
