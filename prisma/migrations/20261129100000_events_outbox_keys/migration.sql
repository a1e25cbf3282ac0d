-- The client and the user that an event is about, as numbers, so that one may be delivered before others that fail: none of the same
-- client or user may wait before it. Null in the rows of older releases; 0 for no client or no user.
alter table events.outbox add column client_key bigint, add column user_key bigint;
