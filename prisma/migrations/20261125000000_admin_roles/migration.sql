-- Users with a part of the administration.
alter table identity.users add column admin_role text check (admin_role in ('viewer', 'support', 'client_manager'));
-- Administrators list them among millions.
create index users_admin_roles_idx on identity.users (lower(username) text_pattern_ops) where admin_role is not null;

-- Release 0.4.0 uses neither of these.
drop table identity.consent_questions;
drop table identity.traffic_samples;
