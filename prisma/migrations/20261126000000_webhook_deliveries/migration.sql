-- What was posted to the webhook, for administrators, and what they did about it.
create table events.webhook_deliveries (
  event_id    uuid           not null,
  event_type  text           not null,
  client_id   text           not null,
  user_id     text           not null,
  state       text           not null,
  attempts    integer        not null,
  status      integer,
  failure     text           not null,
  duration_ms integer,
  changed_at  timestamptz(6) not null,
  envelope    text           not null,
  constraint webhook_deliveries_pkey primary key (event_id),
  constraint webhook_deliveries_state_check check (state in ('waiting', 'delivered', 'failed', 'refused'))
);
create index webhook_deliveries_changed_at_event_id_idx on events.webhook_deliveries (changed_at, event_id);
create index webhook_deliveries_state_changed_at_event_id_idx
  on events.webhook_deliveries (state, changed_at, event_id);

create table events.audit_log (like token.audit_log including all);
