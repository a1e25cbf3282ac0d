-- The server itself is the actor where it deletes clients that nobody uses. No entry breaks the new rule, so none is checked.
alter table clients.audit_log drop constraint audit_log_actor_kind_check;
alter table clients.audit_log add constraint audit_log_actor_kind_check
  check (actor_kind in ('user', 'client', 'system')) not valid;
