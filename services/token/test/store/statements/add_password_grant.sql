with given as ( select $6::uuid as grant_id, 'password' as grant_type, $7::timestamptz as granted_at, $8::text as client_id, $9::text as user_id, $10::text as username, $11::text as scope, $11::text as access_scope, access_resources as resources, null::bytea as parent_digest, true as first_use, access_expires_at, jti, refresh_digest, refresh_lifetime, access_resources
from unnest($1::bigint[], $2::uuid[], $3::bytea[], $4::float8[], $5::text[]) as n (access_expires_at, jti, refresh_digest, refresh_lifetime, access_resources)
where not exists ( select
from token.client_changes c
where c.client_id = $8
and (c.revision <> $12 or c.disabled) ) ), access_token as ( insert into token.access_tokens (expires_at, jti, granted_at, grant_id, grant_type, client_id, user_id, username, scope, resources)
select to_timestamp(access_expires_at), jti, granted_at, grant_id, grant_type, client_id, user_id, username, access_scope, access_resources
from given ), refresh_token as ( insert into token.refresh_tokens (token_digest, parent_digest, grant_id, grant_type, granted_at, client_id, user_id, username, scope, resources, expires_at)
select refresh_digest, parent_digest, grant_id, grant_type, granted_at, client_id, user_id, username, scope, resources, least( now() + make_interval(secs => given.refresh_lifetime::float8), (select s.session_ends_at
from token.session_grants s
where s.grant_id = given.grant_id
and not s.offline) )
from given
where refresh_digest is not null
and first_use on conflict do nothing )
select
from given
