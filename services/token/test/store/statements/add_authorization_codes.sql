with wanted as ( select w.*, row_number() over (partition by flow_id, client_changed order by position) as attempt
from ( select u.*, exists ( select
from token.client_changes c
where c.client_id = u.client_id
and (c.revision <> u.client_revision or c.disabled) ) as client_changed
from unnest($1::bytea[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::timestamptz[], $12::float8[], $13::bigint[], $14::uuid[], $15::text[])
with ordinality as u (code_digest, grant_id, client_id, scope, resources, organization_id, user_id, username, redirect_uri, code_challenge, granted_at, expires_at, client_revision, flow_id, session_grant, position) ) w ), waiting as materialized ( select id
from token.authorization_flows
where id = any($14::uuid[])
and expires_at > now() order by id for update ), ended as ( delete
from token.authorization_flows f using wanted, waiting
where f.id = waiting.id
and f.id = wanted.flow_id
and not wanted.client_changed
returning f.id ), added as ( insert into token.authorization_codes (code_digest, grant_id, client_id, scope, resources, organization_id, user_id, username, redirect_uri, code_challenge, granted_at, expires_at)
select code_digest, grant_id, client_id, scope, resources, organization_id, user_id, username, redirect_uri, code_challenge, granted_at, now() + make_interval(secs => expires_at)
from wanted
where not client_changed
and (flow_id is null or (attempt = 1
and flow_id in (select id
from ended)))
returning code_digest ), stored as (select wanted.*
from wanted
join added on added.code_digest = wanted.code_digest), session_grant as ( insert into token.session_grants (grant_id, client_id, user_id, session_id, nonce, authenticated_at, methods, connection_id, by_organization, claims, offline, session_ends_at, expires_at)
select grants.grant_id, grants.client_id, grants.user_id, s.session_id, s.nonce, s.authenticated_at, s.methods, s.connection_id, s.by_organization, s.claims, s.offline, s.session_ends_at, now() + make_interval(secs => $16::float8)
from stored grants, jsonb_to_record(grants.session_grant::jsonb) as s (session_id uuid, nonce text, authenticated_at timestamptz, methods text[], connection_id text, by_organization boolean, claims jsonb, offline boolean, session_ends_at timestamptz)
where grants.session_grant is not null )
select wanted.position::int - 1 as position, wanted.client_changed, exists ( select
from added
where added.code_digest = wanted.code_digest ) as added
from wanted
