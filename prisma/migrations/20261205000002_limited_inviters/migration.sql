-- Invitations that an earlier release wrote were by members or administrators without limits, as far as anybody knows now.
alter table identity.organization_invitations add column inviter_limited boolean not null default false;
