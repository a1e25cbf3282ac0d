-- Indexes for the lists of tokens without the jti. PostgreSQL keeps one copy of equal keys, so a client that gets many tokens in a
-- second needs 8 bytes for each instead of 95. A list sorts the tokens of one second by itself.
-- Building them holds up issuing, for a second or two per two million stored tokens: docs/operations.md says how to avoid that.
create index access_tokens_client_id_expires_at_idx on token.access_tokens (client_id, expires_at);
create index access_tokens_user_id_expires_at_idx on token.access_tokens (user_id, expires_at) where user_id is not null;

-- An index of a partition that was built before, but was interrupted, would be used like a complete one.
do $$
declare incomplete text;
begin
  select string_agg(i.indexrelid::regclass::text, ', ') into incomplete
  from pg_partition_tree('token.access_tokens') p join pg_index i on i.indrelid = p.relid
  where p.isleaf and not i.indisvalid;
  if incomplete is not null then
    raise exception 'these indexes are incomplete: %; drop them and migrate again', incomplete;
  end if;
end $$;
