-- The organization of an authorization request, and revocations of what was granted in one. Why, is said in schema/token.prisma.
alter table token.authorization_flows
  add column requested_organization text,
  add column organization_choice jsonb;
alter table token.revocations
  drop constraint revocations_kind_check,
  add constraint revocations_kind_check check (kind in ('grant', 'client', 'own', 'user', 'consent', 'session', 'resource', 'organization', 'membership'));
