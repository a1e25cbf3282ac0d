select g.user_id as "userId", g.scope, g.organization_id as "organizationId", s.methods, s.by_organization as "byOrganization"
from token.refresh_tokens g
left join token.session_grants s on s.grant_id = g.grant_id
where g.token_digest = $1
and g.client_id = $2
