-- In a migration of its own, because it holds up who writes an entry for as long as it takes.
create index audit_log_position_idx on token.audit_log (position);
create index audit_log_unplaced_idx on token.audit_log (entry_id) where position is null;
create index audit_log_position_idx on clients.audit_log (position);
create index audit_log_unplaced_idx on clients.audit_log (entry_id) where position is null;
create index audit_log_position_idx on identity.audit_log (position);
create index audit_log_unplaced_idx on identity.audit_log (entry_id) where position is null;
create index audit_log_position_idx on events.audit_log (position);
create index audit_log_unplaced_idx on events.audit_log (entry_id) where position is null;
