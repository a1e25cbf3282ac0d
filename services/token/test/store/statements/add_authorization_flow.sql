insert into token.authorization_flows (id, client_id, scope, resources, redirect_uri, state, code_challenge, openid, expires_at)
values ($1::uuid, $2::text, $3::text, $4::text, $5::text, $6::text, $7::text, $8::jsonb, now() + make_interval(secs => $9::float8))
