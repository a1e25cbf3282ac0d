-- A grant that is taken from a client takes its tokens with it. Null: not a user's token, or one of the release before.
alter table token.access_tokens add column grant_type text;
alter table token.refresh_tokens add column grant_type text;
