with given as ( select access_expires_at, jti, refresh_digest, refresh_lifetime, access_resources, carried, authority_revision, roles_revision, client_id, scope, resources, organization_id, user_id, username, access_scope, grant_id, granted_at, client_revision, 'password' as grant_type, null::bytea as parent_digest, true as first_use
from unnest($1::bigint[], $2::uuid[], $3::bytea[], $4::float8[], $5::text[], $6::jsonb[], $7::bigint[], $8::bigint[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[], $16::uuid[], $17::timestamptz[], $18::bigint[]) as n (access_expires_at, jti, refresh_digest, refresh_lifetime, access_resources, carried, authority_revision, roles_revision, client_id, scope, resources, organization_id, user_id, username, access_scope, grant_id, granted_at, client_revision)
where not exists ( select
from token.client_changes c
where c.client_id = n.client_id
and (c.revision <> n.client_revision or c.disabled) ) ), access_token as ( insert into token.access_tokens (expires_at, jti, granted_at, grant_id, grant_type, client_id, scope, resources, organization_id, user_id, username, carried, authority_revision, roles_revision)
select to_timestamp(access_expires_at), jti, granted_at, grant_id, grant_type, given.client_id, given.access_scope, given.access_resources, given.organization_id, given.user_id, given.username, carried, authority_revision, roles_revision
from given ), refresh_token as ( insert into token.refresh_tokens (token_digest, parent_digest, grant_id, grant_type, granted_at, client_id, scope, resources, organization_id, user_id, username, expires_at)
select refresh_digest, parent_digest, grant_id, case when given.organization_id is null then grant_type else 'organization:' || grant_type end, granted_at, client_id, scope, resources, organization_id, user_id, username, least( now() + make_interval(secs => given.refresh_lifetime::float8), (select s.session_ends_at
from token.session_grants s
where s.grant_id = given.grant_id
and not s.offline) )
from given
where refresh_digest is not null
and first_use on conflict do nothing )
select
from given
