-- The expiry that the successor of a refresh token carries, so that every replica derives the same successor again.
alter table token.refresh_tokens add column successor_expires_at timestamptz(6);
