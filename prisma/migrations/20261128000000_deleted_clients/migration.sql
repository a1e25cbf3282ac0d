-- A deleted client whose id may come back. The release before this one does not know the kind, and leaves such a row to a replica that does.
alter table clients.pending_revocations
  drop constraint pending_revocations_kind_check,
  add constraint pending_revocations_kind_check check (kind in ('client', 'client_change', 'deleted_client', 'resource'));
