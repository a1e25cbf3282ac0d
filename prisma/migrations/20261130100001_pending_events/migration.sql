-- Events that are stored with what they tell of, until the events service has them. Why, is said beside the models in schema/*.prisma.
create table token.pending_events (
  id         bigserial      not null,
  event      text           not null,
  created_at timestamptz(6) not null default now(),
  constraint pending_events_pkey primary key (id)
);
create table clients.pending_events (
  id         bigserial      not null,
  event      text           not null,
  created_at timestamptz(6) not null default now(),
  constraint pending_events_pkey primary key (id)
);
create table identity.pending_events (
  id         bigserial      not null,
  event      text           not null,
  created_at timestamptz(6) not null default now(),
  constraint pending_events_pkey primary key (id)
);
