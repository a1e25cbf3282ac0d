-- A client that registered itself can change itself again and again. The entries about that expire; all others are kept for ever.
alter table clients.audit_log add column expires_at timestamptz(6);
create index audit_log_expires_at_idx on clients.audit_log (expires_at) where expires_at is not null;
