-- Organizations with their members, invitations, domains and consents. Why, is said beside the models in schema/identity.prisma.
create table identity.organizations (
  organization_id        text           not null,
  slug                   text           not null,
  name                   text           not null,
  logo_uri               text,
  color                  text,
  attributes             jsonb          not null default '{}',
  second_factor_required boolean        not null default false,
  created_at             timestamptz(6) not null default now(),
  disabled_at            timestamptz(6),
  revision               bigint         not null default 1,
  invitation_day         date,
  invitation_mails       integer        not null default 0,
  constraint organizations_pkey primary key (organization_id)
);
create unique index organizations_slug_key on identity.organizations (slug);
-- For lists.
create index organizations_created_at_organization_id_idx on identity.organizations (created_at, organization_id);
create index organizations_lower_name_idx on identity.organizations (lower(name) text_pattern_ops, organization_id);

create table identity.organization_members (
  organization_id text           not null,
  user_id         uuid           not null,
  role            text           not null,
  attributes      jsonb          not null default '{}',
  joined_at       timestamptz(6) not null default now(),
  constraint organization_members_pkey primary key (organization_id, user_id),
  constraint organization_members_role_check check (role in ('owner', 'admin', 'member')),
  constraint organization_members_organization_id_fkey foreign key (organization_id) references identity.organizations (organization_id) on delete cascade on update no action,
  constraint organization_members_user_id_fkey foreign key (user_id) references identity.users (id) on delete cascade on update no action
);
create index organization_members_user_id_idx on identity.organization_members (user_id);

create table identity.organization_invitations (
  invitation_id   uuid           not null,
  organization_id text           not null,
  address         text           not null,
  role            text           not null,
  roles           jsonb          not null default '[]',
  language        text           not null,
  invited_by      uuid,
  inviter_name    text           not null,
  mail_id         uuid,
  created_at      timestamptz(6) not null default now(),
  sent_at         timestamptz(6) not null default now(),
  expires_at      timestamptz(6) not null,
  constraint organization_invitations_pkey primary key (invitation_id),
  constraint organization_invitations_role_check check (role in ('owner', 'admin', 'member')),
  constraint organization_invitations_organization_id_fkey foreign key (organization_id) references identity.organizations (organization_id) on delete cascade on update no action
);
create unique index organization_invitations_mail_id_key on identity.organization_invitations (mail_id);
create unique index organization_invitations_organization_id_lower_address_key
  on identity.organization_invitations (organization_id, lower(address));
create index organization_invitations_organization_id_invitation_id_idx on identity.organization_invitations (organization_id, invitation_id);
create index organization_invitations_expires_at_idx on identity.organization_invitations (expires_at);

create table identity.organization_domains (
  organization_id text           not null,
  domain          text           not null,
  challenge       text           not null,
  added_at        timestamptz(6) not null default now(),
  proven_at       timestamptz(6),
  checked_at      timestamptz(6),
  check_due_at    timestamptz(6),
  missing_since   timestamptz(6),
  lost_at         timestamptz(6),
  constraint organization_domains_pkey primary key (organization_id, domain),
  constraint organization_domains_organization_id_fkey foreign key (organization_id) references identity.organizations (organization_id) on delete cascade on update no action
);
create unique index organization_domains_proven_key on identity.organization_domains (domain) where proven_at is not null and lost_at is null;
create index organization_domains_check_due_at_idx on identity.organization_domains (check_due_at);

create table identity.organization_consents (
  user_id         uuid           not null,
  client_id       text           not null,
  organization_id text           not null,
  scope           text           not null,
  granted_at      timestamptz(6) not null default now(),
  client_name     text,
  constraint organization_consents_pkey primary key (user_id, client_id, organization_id),
  constraint organization_consents_user_id_fkey foreign key (user_id) references identity.users (id) on delete cascade on update no action,
  constraint organization_consents_organization_id_fkey foreign key (organization_id) references identity.organizations (organization_id) on delete cascade on update no action
);
create index organization_consents_client_id_idx on identity.organization_consents (client_id);
create index organization_consents_organization_id_idx on identity.organization_consents (organization_id);

-- Groups and roles of an organization end with it. Nothing had an organization before.
alter table identity.groups
  add constraint groups_organization_id_fkey foreign key (organization_id) references identity.organizations (organization_id) on delete cascade on update no action;
alter table identity.role_assignments
  add constraint role_assignments_organization_id_fkey foreign key (organization_id) references identity.organizations (organization_id) on delete cascade on update no action;
create index groups_organization_id_idx on identity.groups (organization_id) where organization_id is not null;
create index role_assignments_organization_id_idx on identity.role_assignments (organization_id) where organization_id is not null;

alter table identity.pending_revocations
  drop constraint pending_revocations_kind_check,
  add constraint pending_revocations_kind_check check (kind in ('user', 'consent', 'session', 'authority', 'organization', 'membership'));

alter table identity.mail_links
  drop constraint mail_links_purpose_check,
  add constraint mail_links_purpose_check check (purpose in ('sign_up', 'password_reset', 'address', 'organization'));
