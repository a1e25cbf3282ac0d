with wanted as ( select *
from unnest($1::bigint[], $2::uuid[], $3::bytea[], $4::float8[], $5::text[], $6::bytea[], $7::text[], $8::text[], $9::bytea[], $10::bigint[], $11::text[], $12::text[])
with ordinality as w (access_expires_at, jti, refresh_digest, refresh_lifetime, access_resources, digest, client_id, code_challenge, redirect_uri, client_revision, registered_uris, client_scope, position) ), locked as materialized ( select l.*
from (select distinct digest
from wanted order by digest) k
cross join lateral ( select code_digest, grant_id, granted_at, client_id, user_id, username, redirect_uri, scope, resources, code_challenge, redeemed_at, expires_at
from token.authorization_codes a
where a.code_digest = k.digest for no key update ) l ), redeemable as materialized ( select c.code_digest, c.grant_id, 'authorization_code' as grant_type, c.granted_at, c.client_id, c.user_id, c.username, c.scope, array_to_string(array( select word
from unnest(string_to_array(c.scope, ' '))
with ordinality as w (word, position)
where word = any(string_to_array(wanted.client_scope, ' ')) order by position ), ' ') as access_scope, c.resources, null::bytea as parent_digest, true as first_use, wanted.position, access_expires_at, jti, refresh_digest, refresh_lifetime, access_resources, row_number() over (partition by c.code_digest order by wanted.position) as attempt
from wanted
join locked c on c.code_digest = wanted.digest
where c.client_id = wanted.client_id
and c.code_challenge = wanted.code_challenge
and (wanted.redirect_uri::bytea is null or convert_to(c.redirect_uri, 'UTF8') = wanted.redirect_uri)
and c.redeemed_at is null
and c.expires_at > now()
and not exists ( select
from token.revocations r
where (r.kind, r.id) in ( ('grant', c.grant_id::text), ('client', c.client_id), ('user', c.user_id), ('consent', c.user_id || ':' || c.client_id) )
and r.issued_before >= c.granted_at )
and not exists ( select
from token.client_changes c
where c.client_id = wanted.client_id
and (c.revision <> wanted.client_revision or c.disabled) )
and regexp_replace(c.redirect_uri, '^(http://(' || case when c.client_id like 'https://%' then 'localhost|127\.0\.0\.1|\[::1\]' else '127\.0\.0\.1|\[::1\]' end || ')):[1-9]\d{0,4}(?=[/?]|$)', '\1') = any(string_to_array(wanted.registered_uris, ' '))
and not exists ( select
from token.session_grants s
where s.grant_id = c.grant_id
and not s.offline
and (s.session_ends_at <= now() or exists ( select
from token.revocations r
where r.kind = 'session'
and r.id = s.session_id::text )) )
and string_to_array(c.scope, ' ') && string_to_array(wanted.client_scope, ' ')
and case when wanted.access_resources::text is null then c.resources is null else coalesce(string_to_array(wanted.access_resources::text, ' ') <@ string_to_array(c.resources, ' '), false)
and not (wanted.access_resources::text is not null
and exists ( select
from token.revocations r
where r.kind = 'resource'
and r.id = any(string_to_array(wanted.access_resources::text, ' '))
and r.issued_before >= c.granted_at )) end ), redeemed as (select *
from redeemable
where attempt = 1), marked as ( update token.authorization_codes c set redeemed_at = now()
where c.code_digest = any(array(select code_digest
from redeemed)) ), access_token as ( insert into token.access_tokens (expires_at, jti, granted_at, grant_id, grant_type, client_id, user_id, username, scope, resources)
select to_timestamp(access_expires_at), jti, granted_at, grant_id, grant_type, client_id, user_id, username, access_scope, access_resources
from redeemed ), refresh_token as ( insert into token.refresh_tokens (token_digest, parent_digest, grant_id, grant_type, granted_at, client_id, user_id, username, scope, resources, expires_at)
select refresh_digest, parent_digest, grant_id, grant_type, granted_at, client_id, user_id, username, scope, resources, least( now() + make_interval(secs => redeemed.refresh_lifetime::float8), (select s.session_ends_at
from token.session_grants s
where s.grant_id = redeemed.grant_id
and not s.offline) )
from redeemed
where refresh_digest is not null
and first_use on conflict do nothing )
select redeemed.position::int - 1 as position, redeemed.user_id, access_scope, s.session_id, s.nonce, s.authenticated_at, s.methods, s.claims, s.offline, s.session_ends_at
from redeemed
left join token.session_grants s on s.grant_id = redeemed.grant_id
