-- Groups, and the roles that users and groups have. Why, is said beside the models in schema/identity.prisma.
create table identity.groups (
  group_id        uuid           not null,
  organization_id text,
  name            text           not null,
  description     text           not null default '',
  source          text           not null default 'local',
  created_at      timestamptz(6) not null default now(),
  revision        bigint         not null default 1,
  constraint groups_pkey primary key (group_id)
);
create unique index groups_organization_id_lower_name_key
  on identity.groups (organization_id, lower(name) text_pattern_ops) nulls not distinct;
-- For lists by name.
create index groups_lower_name_idx on identity.groups (lower(name) text_pattern_ops, group_id);

create table identity.group_members (
  group_id uuid           not null,
  user_id  uuid           not null,
  added_at timestamptz(6) not null default now(),
  constraint group_members_pkey primary key (group_id, user_id),
  constraint group_members_group_id_fkey foreign key (group_id) references identity.groups (group_id) on delete cascade on update no action,
  constraint group_members_user_id_fkey foreign key (user_id) references identity.users (id) on delete cascade on update no action
);
create index group_members_user_id_idx on identity.group_members (user_id);

create table identity.role_assignments (
  assignment_id   uuid           not null,
  resource_id     uuid           not null,
  resource        text           not null,
  role            text           not null,
  user_id         uuid,
  group_id        uuid,
  organization_id text,
  assigned_at     timestamptz(6) not null default now(),
  constraint role_assignments_pkey primary key (assignment_id),
  constraint role_assignments_owner_check check (num_nonnulls(user_id, group_id) = 1),
  constraint role_assignments_user_id_fkey foreign key (user_id) references identity.users (id) on delete cascade on update no action,
  constraint role_assignments_group_id_fkey foreign key (group_id) references identity.groups (group_id) on delete cascade on update no action
);
create unique index role_assignments_key
  on identity.role_assignments (resource_id, role, user_id, group_id, organization_id) nulls not distinct;
-- For the list of those who have a role.
create index role_assignments_resource_id_role_assignment_id_idx on identity.role_assignments (resource_id, role, assignment_id);
create index role_assignments_user_id_idx on identity.role_assignments (user_id);
create index role_assignments_group_id_idx on identity.role_assignments (group_id);

create table identity.authority_revision (
  "only"   boolean not null default true,
  revision bigint  not null default 1,
  constraint authority_revision_pkey primary key ("only"),
  constraint authority_revision_only_check check ("only")
);
insert into identity.authority_revision default values;

alter table identity.pending_revocations
  drop constraint pending_revocations_kind_check,
  add constraint pending_revocations_kind_check check (kind in ('user', 'consent', 'session', 'authority'));
