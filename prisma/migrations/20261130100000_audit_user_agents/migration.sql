-- With what an action was done, beside the address from which. Null in older entries, and where the caller did not say.
alter table token.audit_log add column user_agent text;
alter table clients.audit_log add column user_agent text;
alter table identity.audit_log add column user_agent text;
alter table events.audit_log add column user_agent text;
