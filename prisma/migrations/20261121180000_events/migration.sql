-- Events from outside, until every backend has them. Why each table is as it is, is said beside its model in
-- schema/events.prisma.

create table events.taken_events (
  identity_digest bytea          not null,
  event_id        uuid           not null,
  expires_at      timestamptz(6) not null default (now() + interval '24 hours'),
  constraint taken_events_pkey primary key (identity_digest)
);
create index taken_events_expires_at_idx on events.taken_events (expires_at);

-- Its rows live for moments: dead ones are cleared away before reads have to step over many.
create table events.outbox (
  position   bigserial      not null,
  backend    text           not null,
  envelope   text           not null,
  created_at timestamptz(6) not null default now(),
  constraint outbox_pkey primary key (position)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
create index outbox_backend_position_idx on events.outbox (backend, position);
