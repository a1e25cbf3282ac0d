insert into token.access_tokens (expires_at, jti, grant_id, client_id, scope, resources, organization_id, carried, authority_revision, roles_revision)
select to_timestamp(t.expires_at), t.jti, t.grant_id, t.client_id, t.scope, t.resources, t.organization_id, t.carried, t.authority_revision, t.roles_revision
from unnest($1::bigint[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::jsonb[], $9::bigint[], $10::bigint[]) as t (expires_at, jti, grant_id, client_id, scope, resources, organization_id, carried, authority_revision, roles_revision)
where t.client_id <> all (array( select c.client_id
from token.client_changes c
join unnest($11::text[], $12::bigint[]) as known (client_id, revision) using (client_id)
where c.client_id = any($11::text[])
and (c.revision <> known.revision or c.disabled) ))
