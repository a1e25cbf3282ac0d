-- Mails to users, requests of strangers for mails, and the links in mails. Beside the models in schema/identity.prisma is why they
-- are as they are.
create table identity.mails (
  mail_id    uuid           not null,
  kind       text           not null,
  user_id    uuid,
  recipient  text           not null,
  language   text           not null,
  content    jsonb          not null default '{}',
  state      text           not null default 'waiting',
  attempts   integer        not null default 0,
  due_at     timestamptz(6) not null default now(),
  created_at timestamptz(6) not null default now(),
  give_up_at timestamptz(6) not null default now() + interval '1 day',
  ended_at   timestamptz(6),
  failure    text           not null default '',
  constraint mails_pkey primary key (mail_id),
  constraint mails_state_check check (state in ('waiting', 'sent', 'failed'))
);
create index mails_due_at_idx on identity.mails (due_at) where state = 'waiting';
create index mails_recipient_created_at_idx on identity.mails (lower(recipient), created_at);
create index mails_user_id_mail_id_idx on identity.mails (user_id, mail_id);
create index mails_ended_at_idx on identity.mails (ended_at);

create table identity.mail_requests (
  request_id uuid           not null,
  kind       text           not null,
  typed      text           not null,
  language   text           not null,
  return_to  text           not null,
  created_at timestamptz(6) not null default now(),
  constraint mail_requests_pkey primary key (request_id),
  constraint mail_requests_kind_check check (kind in ('sign_up', 'password_reset'))
);

create table identity.mail_links (
  link_digest bytea          not null,
  mail_id     uuid           not null,
  purpose     text           not null,
  user_id     uuid,
  address     text           not null,
  content     jsonb          not null default '{}',
  expires_at  timestamptz(6) not null,
  constraint mail_links_pkey primary key (link_digest),
  constraint mail_links_purpose_check check (purpose in ('sign_up', 'password_reset', 'address')),
  constraint mail_links_user_id_fkey foreign key (user_id) references identity.users (id) on delete cascade
);
create index mail_links_user_id_idx on identity.mail_links (user_id);
create index mail_links_mail_id_idx on identity.mail_links (mail_id);
create index mail_links_address_idx on identity.mail_links (lower(address));
create index mail_links_expires_at_idx on identity.mail_links (expires_at);

-- Finds the users who log in by their e-mail address.
create index users_verified_email_idx on identity.users (lower(attributes ->> 'email'))
  where attributes -> 'email_verified' = 'true'::jsonb;
