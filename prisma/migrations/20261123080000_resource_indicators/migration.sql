-- The resource servers of requests, grants and tokens, space-separated; null for none.
alter table token.authorization_flows add column resources text;
alter table token.authorization_codes add column resources text;
alter table token.refresh_tokens add column resources text;
alter table token.access_tokens add column resources text;
