-- The account page asks which apps hold refresh tokens of a user. In a migration of its own, because building the index
-- keeps refresh tokens from being written for as long as it takes.

create index refresh_tokens_user_id_expires_at_idx on token.refresh_tokens (user_id, expires_at);
