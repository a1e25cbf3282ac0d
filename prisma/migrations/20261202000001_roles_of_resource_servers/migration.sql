-- Roles of resource servers. Why, is said beside the model in schema/clients.prisma.
alter table clients.resource_servers
  add column roles          jsonb   not null default '[]',
  add column scopes_by_role boolean not null default false,
  add column token_claims   text[]  not null default '{}',
  add column claims_shape   text    not null default 'flat',
  add constraint resource_servers_claims_shape_check check (claims_shape in ('flat', 'keycloak'));
alter table clients.pending_revocations
  drop constraint pending_revocations_kind_check,
  add constraint pending_revocations_kind_check
    check (kind in ('client', 'client_change', 'deleted_client', 'own', 'resource', 'authority'));
