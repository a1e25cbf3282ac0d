select wanted.position::int - 1 as position, t.client_id, t.scope, t.resources, t.organization_id, t.user_id, t.username, case when change.client_id is null then t.scope else array_to_string(array( select word
from unnest(string_to_array(t.scope, ' '))
with ordinality as w (word, position)
where word = any(change.scope) order by position ), ' ') end as permitted_scope, t.carried, t.roles_revision
from unnest($1::bigint[], $2::uuid[])
with ordinality as wanted (expires_at, jti, position)
cross join lateral ( select *
from token.access_tokens a
where a.expires_at = to_timestamp(wanted.expires_at)
and a.jti = wanted.jti offset 0 ) t
left join lateral ( select *
from token.client_changes c
where c.client_id = t.client_id offset 0 ) change on true
where t.revoked_at is null
and ( change.client_id is null or (not change.disabled
and case when t.user_id is null then change.grant_types && array['client_credentials'] else change.grant_types && array['authorization_code','password']
and (t.grant_type is null or t.grant_type = any(change.grant_types)) end) )
and not exists ( select
from token.revocations r
where (r.kind, r.id) in ( ('grant', t.grant_id::text), ('client', t.client_id), ('user', t.user_id), ('own', case when t.user_id is null then t.client_id end), ('consent', t.user_id || ':' || t.client_id || coalesce(':' || t.organization_id, '')), ('organization', t.organization_id), ('membership', t.user_id || ':' || t.organization_id) )
and r.issued_before >= t.granted_at )
and not (t.resources is not null
and exists ( select
from token.revocations r
where r.kind = 'resource'
and r.id = any(string_to_array(t.resources, ' '))
and r.issued_before >= t.granted_at ))
and not ((t.authority_revision is not null
and exists ( select
from token.authority_changes newer
where newer.key = any(array['user:' || t.user_id || '', 'all:' || coalesce(t.organization_id, '') || ''] || array(select 'resource:' || coalesce(t.organization_id, '') || ':' || resource || ''
from unnest(string_to_array(t.resources, ' ')) as resource))
and newer.revision > t.authority_revision )) or (t.roles_revision is not null
and exists ( select
from token.authority_changes newer
where newer.key = any(array(select 'roles:' || resource || ''
from unnest(string_to_array(t.resources, ' ')) as resource))
and newer.revision > t.roles_revision )))
