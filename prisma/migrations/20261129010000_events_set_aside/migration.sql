-- When an event is tried again that was set aside; null for one that was not.
alter table events.outbox add column not_before timestamptz(6);
