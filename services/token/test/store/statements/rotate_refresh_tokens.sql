with wanted as ( select *
from unnest($1::bigint[], $2::uuid[], $3::bytea[], $4::float8[], $5::text[], $6::jsonb[], $7::bigint[], $8::bigint[], $9::bytea[], $10::text[], $11::text[], $12::bigint[], $13::text[], $14::text[], $15::text[], $16::text[], $17::bigint[])
with ordinality as w (access_expires_at, jti, refresh_digest, refresh_lifetime, access_resources, carried, authority_revision, roles_revision, digest, client_id, asked_scope, client_revision, client_scope, client_grants, organization_mode, asked_organization, offered_expiry, position) ), locked as materialized ( select l.*
from ( select digest
from wanted union
select parent_digest
from token.refresh_tokens
where token_digest = any($9::bytea[])
and parent_digest is not null order by digest ) k
cross join lateral ( select token_digest, parent_digest, grant_id, case when r.organization_id is null then r.grant_type else substr(r.grant_type, 14) end as grant_type, granted_at, client_id, scope, resources, organization_id, user_id, username, created_at, expires_at, used_at, successor_used_at, successor_expires_at
from token.refresh_tokens r
where r.token_digest = k.digest for no key update ) l ), rotated as materialized ( select t.grant_id, t.grant_type, t.granted_at, t.client_id, t.scope, t.resources, t.organization_id, t.user_id, t.username, coalesce(wanted.asked_scope, array_to_string(array( select word
from unnest(string_to_array(t.scope, ' '))
with ordinality as w (word, position)
where word = any(string_to_array(wanted.client_scope, ' ')) order by position ), ' ')) as access_scope, t.token_digest as parent_digest, t.parent_digest as grandparent_digest, t.used_at is null
and row_number() over (partition by t.token_digest order by wanted.position) = 1 as first_use, case when t.used_at is null then to_timestamp(first_value(wanted.offered_expiry) over (partition by t.token_digest order by wanted.position)) else t.successor_expires_at end as successor_expires_at, wanted.position, access_expires_at, jti, refresh_digest, refresh_lifetime, access_resources, carried, authority_revision, roles_revision
from wanted
join locked t on t.token_digest = wanted.digest
where t.client_id = wanted.client_id
and ( t.used_at is null or (t.used_at > now() - interval '10 s'
and t.successor_used_at is null) )
and not (t.expires_at <= now() or t.created_at <= now() - make_interval(secs => wanted.refresh_lifetime::float8))
and (wanted.asked_scope is null or (string_to_array(wanted.asked_scope, ' ') <@ string_to_array(t.scope, ' ')
and string_to_array(wanted.asked_scope, ' ') <@ string_to_array(wanted.client_scope, ' ')))
and string_to_array(t.scope, ' ') && string_to_array(wanted.client_scope, ' ')
and (t.grant_type is null or t.grant_type = any(string_to_array(wanted.client_grants, ' ')))
and not exists ( select
from token.revocations r
where (r.kind, r.id) in ( ('grant', t.grant_id::text), ('client', t.client_id), ('user', t.user_id), ('own', case when t.user_id is null then t.client_id end), ('consent', t.user_id || ':' || t.client_id || coalesce(':' || t.organization_id, '')), ('organization', t.organization_id), ('membership', t.user_id || ':' || t.organization_id) )
and r.issued_before >= t.granted_at )
and not exists ( select
from token.client_changes c
where c.client_id = wanted.client_id
and (c.revision <> wanted.client_revision or c.disabled) )
and not exists ( select
from token.session_grants s
where s.grant_id = t.grant_id
and (not s.offline
and (s.session_ends_at <= now() or exists ( select
from token.revocations r
where r.kind = 'session'
and r.id = s.session_id::text )) or s.connection_id is not null
and exists ( select
from token.revocations r
where r.kind = 'connection'
and r.id in ( s.connection_id, s.connection_id || ':' || s.user_id, case when not s.offline then s.connection_id || ':' || s.session_id end )
and r.issued_before >= t.granted_at )) )
and case when wanted.access_resources::text is null then t.resources is null else coalesce(string_to_array(wanted.access_resources::text, ' ') <@ string_to_array(t.resources, ' '), false)
and not (wanted.access_resources::text is not null
and exists ( select
from token.revocations r
where r.kind = 'resource'
and r.id = any(string_to_array(wanted.access_resources::text, ' '))
and r.issued_before >= t.granted_at )) end
and ( case when t.organization_id is null then wanted.organization_mode <> 'required'
and wanted.asked_organization is null else wanted.organization_mode <> 'off'
and coalesce(t.organization_id = wanted.asked_organization, true) end ) ), uses as ( select array(select parent_digest
from rotated
where first_use order by position) as used, array(select successor_expires_at
from rotated
where first_use order by position) as expiries, array( select p.token_digest
from rotated r
join locked p on p.token_digest = r.grandparent_digest
where p.successor_used_at is null ) as parents ), marked as ( update token.refresh_tokens t set used_at = case when t.token_digest = any(uses.used) then coalesce(t.used_at, now()) else t.used_at end, successor_used_at = case when t.token_digest = any(uses.parents) then now() else t.successor_used_at end, successor_expires_at = coalesce(t.successor_expires_at, uses.expiries[array_position(uses.used, t.token_digest)])
from uses
where t.token_digest = any(uses.used || uses.parents) ), access_token as ( insert into token.access_tokens (expires_at, jti, granted_at, grant_id, grant_type, client_id, scope, resources, organization_id, user_id, username, carried, authority_revision, roles_revision)
select to_timestamp(access_expires_at), jti, granted_at, grant_id, grant_type, rotated.client_id, rotated.access_scope, rotated.access_resources, rotated.organization_id, rotated.user_id, rotated.username, carried, authority_revision, roles_revision
from rotated ), refresh_token as ( insert into token.refresh_tokens (token_digest, parent_digest, grant_id, grant_type, granted_at, client_id, scope, resources, organization_id, user_id, username, expires_at)
select refresh_digest, parent_digest, grant_id, case when rotated.organization_id is null then grant_type else 'organization:' || grant_type end, granted_at, client_id, scope, resources, organization_id, user_id, username, least( now() + make_interval(secs => rotated.refresh_lifetime::float8), (select s.session_ends_at
from token.session_grants s
where s.grant_id = rotated.grant_id
and not s.offline) )
from rotated
where refresh_digest is not null
and first_use on conflict do nothing ), kept as ( update token.session_grants s set expires_at = now() + make_interval(secs => $18::float8)
from rotated
where s.grant_id = rotated.grant_id
returning s.* )
select rotated.position::int - 1 as position, rotated.grant_id, rotated.client_id as client_id, rotated.access_scope as scope, rotated.access_resources as resources, rotated.organization_id as organization_id, rotated.user_id as user_id, rotated.username as username, not first_use as repeated, extract(epoch
from successor_expires_at)::float8 as successor_expires_at, s.session_id, s.nonce, s.authenticated_at, s.methods, s.connection_id, s.by_organization, s.claims, s.offline, s.session_ends_at
from rotated
left join kept s on s.grant_id = rotated.grant_id
