-- In a migration of its own, because dropping an index holds up introspection too, and must not wait for the new ones. The lists of
-- release 0.5.0 use the new ones as well.
-- A dump that reads the table would hold this up, and this everything else, so it soon gives up and is tried again.
set local lock_timeout = '2s';
drop index token.access_tokens_client_id_expires_at_jti_idx;
drop index token.access_tokens_user_id_expires_at_jti_idx;
