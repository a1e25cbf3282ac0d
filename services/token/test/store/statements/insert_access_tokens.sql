insert into token.access_tokens (expires_at, jti, grant_id, client_id, scope, resources, organization_id)
select to_timestamp(t.expires_at), t.jti, t.grant_id, t.client_id, t.scope, t.resources, t.organization_id
from unnest($1::bigint[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[]) as t (expires_at, jti, grant_id, client_id, scope, resources, organization_id)
where t.client_id <> all (array( select c.client_id
from token.client_changes c
join unnest($8::text[], $9::bigint[]) as known (client_id, revision) using (client_id)
where c.client_id = any($8::text[])
and (c.revision <> known.revision or c.disabled) ))
