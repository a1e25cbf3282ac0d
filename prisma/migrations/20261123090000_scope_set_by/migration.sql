-- Who decided a client's scope last. A resource server that is not open to registration accepts only clients whose scope an
-- administrator has decided.
alter table clients.clients add column scope_set_by text not null default 'registration';
