-- Indexes for the lists of tokens without the jti. PostgreSQL keeps one copy of equal keys, so a client that gets many tokens in a
-- second needs 8 bytes for each instead of 95. A list sorts the tokens of one second by itself.
-- Building them holds up issuing, for about a second per two million stored tokens: docs/operations.md says how to avoid that.
create index access_tokens_client_id_expires_at_idx on token.access_tokens (client_id, expires_at);
create index access_tokens_user_id_expires_at_idx on token.access_tokens (user_id, expires_at) where user_id is not null;
