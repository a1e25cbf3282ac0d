with sent as materialized (select *
from unnest($1::bigint[], $2::uuid[], $3::bytea[], $4::float8[], $5::text[], $6::jsonb[], $7::bigint[], $8::bigint[], $9::bytea[], $10::text[], $11::text[], $12::bytea[], $13::bigint[], $14::text[], $15::text[], $16::text[], $17::text[], $18::bytea[], $19::float8[], $20::uuid[])
with ordinality as s (access_expires_at, jti, refresh_digest, refresh_lifetime, access_resources, carried, authority_revision, roles_revision, digest, client_id, code_challenge, redirect_uri, client_revision, registered_uris, client_scope, organization_mode, asked_organization, proof_digest, proof_ends_at, proof_attempt, position)), newly_spent as ( insert into token.spent_proofs (digest, expires_at, attempt)
select distinct on (proof_digest) proof_digest, to_timestamp(proof_ends_at), proof_attempt
from sent
where proof_digest is not null order by proof_digest, position on conflict do nothing
returning attempt ), spent as materialized ( select array(select attempt
from newly_spent) || array( select sent.proof_attempt
from sent
cross join lateral ( select
from token.spent_proofs p
where p.digest = sent.proof_digest
and p.attempt = sent.proof_attempt offset 0 ) p ) as attempts ), proven as materialized ( select sent.*
from spent, sent
where sent.proof_digest is null or sent.proof_attempt = any(spent.attempts) ), wanted as ( select *
from proven w ), locked as materialized ( select l.*
from (select distinct digest
from wanted order by digest) k
cross join lateral ( select code_digest, grant_id, granted_at, client_id, scope, resources, organization_id, user_id, username, redirect_uri, code_challenge, redeemed_at, expires_at
from token.authorization_codes a
where a.code_digest = k.digest for no key update ) l ), redeemable as materialized ( select c.code_digest, c.grant_id, 'authorization_code' as grant_type, c.granted_at, c.client_id, c.scope, c.resources, c.organization_id, c.user_id, c.username, array_to_string(array( select word
from unnest(string_to_array(c.scope, ' '))
with ordinality as w (word, position)
where word = any(string_to_array(wanted.client_scope, ' ')) order by position ), ' ') as access_scope, null::bytea as parent_digest, true as first_use, wanted.position, access_expires_at, jti, refresh_digest, refresh_lifetime, access_resources, carried, authority_revision, roles_revision, row_number() over (partition by c.code_digest order by wanted.position) as attempt
from wanted
join locked c on c.code_digest = wanted.digest
where c.client_id = wanted.client_id
and c.code_challenge = case when c.organization_id is null then wanted.code_challenge else 'organization:' || wanted.code_challenge end
and (wanted.redirect_uri::bytea is null or convert_to(c.redirect_uri, 'UTF8') = wanted.redirect_uri)
and c.redeemed_at is null
and c.expires_at > now()
and not exists ( select
from token.revocations r
where (r.kind, r.id) in ( ('grant', c.grant_id::text), ('client', c.client_id), ('user', c.user_id), ('own', case when c.user_id is null then c.client_id end), ('consent', c.user_id || ':' || c.client_id || coalesce(':' || c.organization_id, '')), ('organization', c.organization_id), ('membership', c.user_id || ':' || c.organization_id) )
and r.issued_before >= c.granted_at )
and not exists ( select
from token.client_changes c
where c.client_id = wanted.client_id
and (c.revision <> wanted.client_revision or c.disabled) )
and regexp_replace(c.redirect_uri, '^(http://(' || case when c.client_id like 'https://%' then 'localhost|127\.0\.0\.1|\[::1\]' else '127\.0\.0\.1|\[::1\]' end || ')):[1-9]\d{0,4}(?=[/?]|$)', '\1') = any(string_to_array(wanted.registered_uris, ' '))
and not exists ( select
from token.session_grants s
where s.grant_id = c.grant_id
and (not s.offline
and (s.session_ends_at <= now() or exists ( select
from token.revocations r
where r.kind = 'session'
and r.id = s.session_id::text )) or s.connection_id is not null
and exists ( select
from token.revocations r
where r.kind = 'connection'
and r.id in ( s.connection_id, s.connection_id || ':' || s.user_id, case when not s.offline then s.connection_id || ':' || s.session_id end )
and r.issued_before >= c.granted_at )) )
and string_to_array(c.scope, ' ') && string_to_array(wanted.client_scope, ' ')
and case when wanted.access_resources::text is null then c.resources is null else coalesce(string_to_array(wanted.access_resources::text, ' ') <@ string_to_array(c.resources, ' '), false)
and not (wanted.access_resources::text is not null
and exists ( select
from token.revocations r
where r.kind = 'resource'
and r.id = any(string_to_array(wanted.access_resources::text, ' '))
and r.issued_before >= c.granted_at )) end
and ( case when c.organization_id is null then wanted.organization_mode <> 'required'
and wanted.asked_organization is null else wanted.organization_mode <> 'off'
and coalesce(c.organization_id = wanted.asked_organization, true) end ) ), redeemed as (select *
from redeemable
where attempt = 1), marked as ( update token.authorization_codes c set redeemed_at = now()
where c.code_digest = any(array(select code_digest
from redeemed)) ), access_token as ( insert into token.access_tokens (expires_at, jti, granted_at, grant_id, grant_type, client_id, scope, resources, organization_id, user_id, username, carried, authority_revision, roles_revision)
select to_timestamp(access_expires_at), jti, granted_at, grant_id, grant_type, redeemed.client_id, redeemed.access_scope, redeemed.access_resources, redeemed.organization_id, redeemed.user_id, redeemed.username, carried, authority_revision, roles_revision
from redeemed ), refresh_token as ( insert into token.refresh_tokens (token_digest, parent_digest, grant_id, grant_type, granted_at, client_id, scope, resources, organization_id, user_id, username, expires_at)
select refresh_digest, parent_digest, grant_id, case when redeemed.organization_id is null then grant_type else 'organization:' || grant_type end, granted_at, client_id, scope, resources, organization_id, user_id, username, least( now() + make_interval(secs => redeemed.refresh_lifetime::float8), (select s.session_ends_at
from token.session_grants s
where s.grant_id = redeemed.grant_id
and not s.offline) )
from redeemed
where refresh_digest is not null
and first_use on conflict do nothing )
select redeemed.position::int - 1 as position, redeemed.client_id as client_id, redeemed.access_scope as scope, redeemed.access_resources as resources, redeemed.organization_id as organization_id, redeemed.user_id as user_id, redeemed.username as username, s.session_id, s.nonce, s.authenticated_at, s.methods, s.connection_id, s.by_organization, s.claims, s.offline, s.session_ends_at
from redeemed
left join token.session_grants s on s.grant_id = redeemed.grant_id
