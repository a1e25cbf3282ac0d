insert into token.authorization_flows (id, client_id, scope, resources, organization_id, redirect_uri, state, code_challenge, openid, requested_organization, expires_at)
values ($1::uuid, $2::text, $3::text, $4::text, $5::text, $6::text, $7::text, $8::text, $9::jsonb, $10::text, now() + make_interval(secs => $11::float8))
