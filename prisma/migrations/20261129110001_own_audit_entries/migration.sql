-- A client that registered itself can change itself again and again. The entries about that are kept for 90 days only.
create index audit_log_own_idx on clients.audit_log (at) where actor_kind = 'client' and actor_id = target;
